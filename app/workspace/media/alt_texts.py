"""Alt texts of files, from the moment a file is attached."""

import asyncio
from typing import Final

from pydantic import TypeAdapter

from app.contract.enums import PostingPlatform, PostType
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.catalogues import Catalogues
from app.workspace.core import Core
from app.workspace.media.library import Library
from app.workspace.media.upload import Upload
from app.workspace.media.uploads import Uploads
from app.workspace.messages import Message, Problem
from app.workspace.rules import post_rules
from app.workspace.store.tables import get_setting, put_setting

_NAME: Final = "words_of_copies"
_SHAPE: Final = TypeAdapter(dict[str, str])
_PASSING: Final = frozenset(
    {"unreachable", "proxy", "timeout", "rate_limited", "server_failed", "not_from_service", "key_refused"}
)
"""Kinds of problems after which the text is sent again when the service is back."""


class AltTexts:
    """Keeps alt texts on disk until the file is stored and the service has them, also across restarts.

    A text that the service refuses stays, to be changed; it's sent once more after the next start.
    Every coroutine raises Problem.
    """

    def __init__(self, core: Core, catalogues: Catalogues, uploads: Uploads, library: Library) -> None:
        self._core, self._catalogues, self._uploads, self._library = core, catalogues, uploads, library
        self._waiting: dict[str, str] | None = None
        self._refused: dict[str, str] = {}
        self._sending: dict[str, asyncio.Task[None]] = {}
        self._writing: set[asyncio.Task[None]] = set()
        uploads.listen(lambda upload: self._send_soon(upload.id))

    async def begin(self) -> None:
        """Load what wasn't sent yet, and send what can be sent now."""
        waiting = await self._load()
        if gone := [upload_id for upload_id in waiting if self._uploads.get(upload_id) is None]:
            await self._keep({kept: words for kept, words in waiting.items() if kept not in gone})
        self.wake()

    def wake(self) -> None:
        """The service can be reached: send what waits for it."""
        for upload_id in self._waiting or ():
            self._send_soon(upload_id)

    async def of(self, upload: Upload) -> str:
        """Return a file's alt text, whether or not the service has it; empty if none."""
        waiting = await self._load()
        if upload.id in waiting:
            return waiting[upload.id]
        files = await self._catalogues.media([upload.storage_path]) if upload.is_done else []
        return (files[0].alt_text or "") if files else ""

    async def write(self, upload_id: str, words: str) -> None:
        """Set a file's alt text; empty removes it."""
        await self._keep(await self._load() | {upload_id: words})
        self._send_soon(upload_id)

    def write_soon(self, upload_id: str, words: str) -> None:
        """Like ``write``, for callers that don't wait; errors are shown as a message."""
        task = asyncio.get_running_loop().create_task(self._write_or_tell(upload_id, words))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def carry(self, original: Upload, copy: Upload) -> None:
        """Give a copy the alt text of its original, if it has one."""
        if words := await self.of(original):
            await self.write(copy.id, words)

    async def close(self) -> None:
        """Store what was written, and stop sending: the rest is sent after the next start."""
        await asyncio.gather(*self._writing, return_exceptions=True)
        running = list(self._sending.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _write_or_tell(self, upload_id: str, words: str) -> None:
        try:
            await self.write(upload_id, words)
        except Problem as problem:
            self._core.messages.tell(problem.message())

    def _send_soon(self, upload_id: str) -> None:
        """One at a time for each file, so that the last text wins."""
        upload = self._uploads.get(upload_id)
        if upload is None or not upload.is_done or not self._library.can_describe:
            return
        words = (self._waiting or {}).get(upload_id)
        if words not in (None, self._refused.get(upload_id)) and upload_id not in self._sending:
            task = asyncio.get_running_loop().create_task(self._send(upload))
            self._sending[upload_id] = task
            task.add_done_callback(lambda _task: self._sending.pop(upload_id, None))

    async def _send(self, upload: Upload) -> None:
        while (words := (self._waiting or {}).get(upload.id)) not in (None, self._refused.get(upload.id)):
            try:
                await self._library.describe(upload.storage_path, words or "")
            except Problem as problem:
                if problem.kind in _PASSING:
                    return
                if problem.kind != "not_found":  # a file that no longer exists needs no alt text
                    self._refuse(upload, words or "", problem)
                    continue
            waiting = self._waiting or {}
            if waiting.get(upload.id) == words:
                try:
                    await self._keep({kept: text for kept, text in waiting.items() if kept != upload.id})
                except Problem:
                    return  # sent again after the next start, which changes nothing

    def _refuse(self, upload: Upload, words: str, problem: Problem) -> None:
        self._refused[upload.id] = words
        text = tr("Couldn't save the alt text of “{name}”. {why}", name=upload.name, why=problem.text)
        self._core.messages.tell(Message("warning", text, problem.details))

    async def _load(self) -> dict[str, str]:
        if self._waiting is None:
            kept = await self._core.read(lambda rows: get_setting(rows, _NAME, _SHAPE))
            if self._waiting is None:
                self._waiting = kept or {}
        return self._waiting

    async def _keep(self, waiting: dict[str, str]) -> None:
        self._waiting = waiting
        await self._core.write(lambda rows: put_setting(rows, _NAME, waiting or None, _SHAPE))


def alt_text_max(account: Account, post_type: PostType) -> int:
    """Return the maximum length of an account's alt texts, in code points; 0 if there are none."""
    rules = post_rules(PostingPlatform(account.platform.value), account.limits)
    return rules.alt_text_max if rules is not None and post_type in rules.alt_text_types else 0
