"""Keeps what is being written."""

import asyncio
import logging
from concurrent.futures import Future

from pydantic import TypeAdapter

from app.database import DatabaseError
from app.workspace.composer.draft import ComposerDraft
from app.workspace.core import Core
from app.workspace.messages import Message
from app.workspace.problems import problem_of
from app.workspace.store.settings import get_setting, put_setting

_NAME = "composer"
_SHAPE: TypeAdapter[ComposerDraft] = TypeAdapter(ComposerDraft)

_log = logging.getLogger(__name__)


class DraftKeeper:
    """The newest draft is in memory at once and on disk soon; what cannot be written is tried again."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._loop = asyncio.get_running_loop()
        self._draft: ComposerDraft | None = None
        self._version = 0
        self._saved = 0
        self._writing = False
        self._warned = False
        self._retry: asyncio.TimerHandle | None = None

    async def load(self) -> ComposerDraft | None:
        """What was being written; None for nothing. Raises Problem."""
        if self._version == 0:
            try:
                kept = await self._core.database.read(lambda c: get_setting(c, _NAME, _SHAPE))
            except DatabaseError as error:
                raise problem_of(error) from error
            if self._version == 0:
                self._draft = kept
        return self._draft

    def save(self, draft: ComposerDraft | None) -> None:
        """Keeps a draft; None forgets it. Returns at once."""
        self._draft = draft
        self._version += 1
        self._write()

    async def flush(self) -> None:
        """Writes what is not written yet; raises DatabaseError."""
        if self._retry:
            self._retry.cancel()
        if self._saved < self._version:
            draft = self._draft
            await self._core.write(lambda c: put_setting(c, _NAME, draft, _SHAPE))

    def _write(self) -> None:
        if self._writing:
            return  # its end sees that there is more
        self._writing = True
        draft, version = self._draft, self._version
        future = self._core.database.submit(lambda c: put_setting(c, _NAME, draft, _SHAPE))
        future.add_done_callback(lambda done: self._loop.call_soon_threadsafe(self._written, version, done))

    def _written(self, version: int, done: Future[None]) -> None:
        self._writing = False
        if error := done.exception():
            self._warn(error)
            self._retry = self._loop.call_later(self._core.pace.save_again, self._write)
            return
        self._saved = version
        self._warned = False
        if version < self._version:
            self._write()

    def _warn(self, error: BaseException) -> None:
        _log.warning("the draft could not be kept: %s", error)
        if self._warned or not isinstance(error, Exception):
            return
        self._warned = True
        text = "What you are writing is not saved yet. Keep Kalends open; it is tried again."
        self._core.messages.tell(Message("error", f"{text} {problem_of(error).text}"))
