"""Earlier versions of a draft's text, so that overwritten text can be restored."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter
from sqlalchemy import Connection, delete, select

from app.workspace.core import Core
from app.workspace.editing.draft import ComposerDraft
from app.workspace.store.tables import drafts, get_setting, put_setting, settings

VERSIONS_MAX: Final = 30
APART_MS: Final = 120_000
"""Time after a version until the next one is stored, however small the change, in ms."""
LOST: Final = 40
"""A text that gets shorter by this many characters in one edit is stored before, in any case."""

_PREFIX: Final = "versions/"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Version:
    """The text for all accounts, and until when it was current, in ms since 1970 UTC."""

    at: int
    text: str
    title: str = ""


_SHAPE: Final = TypeAdapter(tuple[Version, ...])


class DraftVersions:
    """The earlier versions of each draft, newest first."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._kept_at: dict[str, int] = {}
        self._writing: Future[None] | None = None

    async def of(self, draft_id: str) -> tuple[Version, ...]:
        """Return the versions of a draft. Raises Problem."""
        if self._writing is not None:
            await asyncio.wait([asyncio.wrap_future(self._writing)])
        return await self._core.read(lambda rows: _read(rows, draft_id))

    def note(self, before: ComposerDraft, after: ComposerDraft) -> bool:
        """Store the text before a change, if it's worth it; return whether. Returns immediately."""
        now = self._core.clock()
        since = self._kept_at.setdefault(before.draft_id, now)
        lost = len(before.text) - len(after.text) >= LOST
        is_missed = before.text != after.text and (lost or now - since >= APART_MS)
        if is_missed:
            self.keep(before)
        return is_missed

    def keep(self, draft: ComposerDraft) -> None:
        """Store the text before it's replaced. Returns immediately."""
        now = self._core.clock()
        if draft.text.strip():
            self._kept_at[draft.draft_id] = now
            version = Version(now, draft.text, draft.title)
            self._write(lambda rows: _put(rows, draft.draft_id, version))

    def forget_old(self) -> None:
        """Delete the versions of deleted drafts. Returns immediately."""
        self._write(_forget_old)

    def _write(self, work: Callable[[Connection], None]) -> None:
        """Write in the background; `of` waits for it."""
        self._writing = self._core.database.submit(work)
        self._writing.add_done_callback(_say)


def _forget_old(connection: Connection) -> None:
    names = connection.scalars(select(settings.c.name).where(settings.c.name.startswith(_PREFIX))).all()
    if not names:
        return
    written = connection.scalar(select(settings.c.value).where(settings.c.name == "composer")) or ""
    there = set(connection.scalars(select(drafts.c.id)))
    for name in names:
        draft_id = name.removeprefix(_PREFIX)
        if draft_id not in there and draft_id not in written:
            connection.execute(delete(settings).where(settings.c.name == name))


def _put(connection: Connection, draft_id: str, version: Version) -> None:
    others = (one for one in _read(connection, draft_id) if one.text != version.text)
    put_setting(connection, _PREFIX + draft_id, (version, *others)[:VERSIONS_MAX], _SHAPE)


def _read(connection: Connection, draft_id: str) -> tuple[Version, ...]:
    return get_setting(connection, _PREFIX + draft_id, _SHAPE) or ()


def _say(done: Future[None]) -> None:
    """Log the error. The draft itself is stored elsewhere, where a full disk is reported."""
    if error := done.exception():
        _log.warning("an earlier text could not be kept: %s", error)
