"""Alt texts of files, from the moment a file is attached."""

import asyncio
from pathlib import PurePosixPath
from typing import Final

from pydantic import TypeAdapter

from app.contract.enums import PostingPlatform, PostType
from app.contract.limits import ALT_TEXT_MAX
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

    A text that the service refuses stays, to be changed; it's sent once more after the next start. One that
    is too long for the service stays, too. The key of a text is the file's storage path, or the ID of its
    upload while it has none. Every coroutine raises Problem.
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
        if gone := [key for key in waiting if not _is_path(key) and self._uploads.get(key) is None]:
            await self._keep({kept: words for kept, words in waiting.items() if kept not in gone})
        self.wake()

    def wake(self) -> None:
        """The service can be reached: send what waits for it."""
        for key in self._waiting or ():
            self._send_soon(key)

    async def of(self, upload: Upload) -> str:
        """Return a file's alt text, whether or not the service has it; empty if none."""
        await self._load()
        if (waiting := self._unsent(upload)) is not None:
            return waiting
        files = await self._catalogues.media([upload.storage_path]) if upload.is_done else []
        return (files[0].alt_text or "") if files else ""

    def of_stored(self, storage_path: str, known: str) -> str:
        """Return the alt text of a stored file, ``known`` unless another one wasn't sent yet."""
        return next((text for key, text in self._known() if self._path(key) == storage_path), known)

    def excess(self, upload_id: str) -> int:
        """Return by how many characters the alt text of an upload is too long for the service."""
        upload = self._uploads.get(upload_id) if self._library.can_describe else None
        words = self._unsent(upload) if upload is not None else None
        return max(0, len(words or "") - ALT_TEXT_MAX)

    async def write(self, key: str, words: str) -> None:
        """Set the alt text of a file, by its storage path or its upload's ID; empty removes it."""
        await self._load()
        await self._keep(self._with(key, words))
        self._send_soon(key)

    def write_soon(self, key: str, words: str) -> None:
        """Like ``write``, for callers that don't wait; errors are shown as a message."""
        if self._waiting is not None:
            self._waiting = self._with(key, words)
        task = asyncio.get_running_loop().create_task(self._write_or_tell(key, words))
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

    def _with(self, key: str, words: str) -> dict[str, str]:
        """Return the waiting texts with another one for a file."""
        key = self._path(key) or key
        return {kept: text for kept, text in self._known() if self._path(kept) != key} | {key: words}

    def _known(self) -> list[tuple[str, str]]:
        return list((self._waiting or {}).items())

    def _path(self, key: str) -> str:
        """Return the storage path of a file, or "" while it isn't stored."""
        upload = None if _is_path(key) else self._uploads.get(key)
        if upload is None:
            return key if _is_path(key) else ""
        return upload.storage_path if upload.is_done else ""

    def _unsent(self, upload: Upload) -> str | None:
        waiting = self._waiting or {}
        return waiting.get(upload.id, waiting.get(upload.storage_path) if upload.is_done else None)

    def _to_send(self, path: str) -> tuple[str, str] | None:
        """Return the text to send for a stored file, with its key; None if it was refused or is too long."""
        waiting = ((key, words) for key, words in self._known() if self._path(key) == path)
        key, words = next(waiting, ("", ""))
        is_held = words == self._refused.get(path) or len(words) > ALT_TEXT_MAX
        return (key, words) if key and not is_held else None

    async def _write_or_tell(self, key: str, words: str) -> None:
        try:
            await self.write(key, words)
        except Problem as problem:
            self._core.messages.tell(problem.message())

    def _send_soon(self, key: str) -> None:
        """One at a time for each file, so that the last text wins."""
        path = self._path(key)
        if not path or not self._library.can_describe:
            return
        if self._to_send(path) is not None and path not in self._sending:
            task = asyncio.get_running_loop().create_task(self._send(path))
            self._sending[path] = task
            task.add_done_callback(lambda _task: self._sending.pop(path, None))

    async def _send(self, path: str) -> None:
        while (found := self._to_send(path)) is not None:
            key, words = found
            try:
                await self._library.describe(path, words)
            except Problem as problem:
                if problem.kind in _PASSING:
                    return
                if problem.kind != "not_found":  # a file that no longer exists needs no alt text
                    self._refuse(path, words, problem)
                    continue
            waiting = self._waiting or {}
            if waiting.get(key) == words:
                try:
                    await self._keep({kept: text for kept, text in waiting.items() if kept != key})
                except Problem:
                    return  # sent again after the next start, which changes nothing

    def _refuse(self, path: str, words: str, problem: Problem) -> None:
        self._refused[path] = words
        names = (upload.name for upload in self._uploads.all() if upload.storage_path == path)
        name = next(names, PurePosixPath(path).name)
        text = tr("Couldn't save the alt text of “{name}”. {why}", name=name, why=problem.text)
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


def _is_path(key: str) -> bool:
    return "/" in key  # unlike an upload's ID


def alt_text_max(account: Account, post_type: PostType) -> int:
    """Return the maximum length of an account's alt texts, in code points; 0 if there are none."""
    rules = post_rules(PostingPlatform(account.platform.value), account.limits)
    return rules.alt_text_max if rules is not None and post_type in rules.alt_text_types else 0
