"""Earlier texts of what is being written, so that what was overwritten can be had back."""

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
from app.workspace.store.settings import get_setting, put_setting
from app.workspace.store.tables import drafts, settings

VERSIONS_MAX: Final = 30
APART_MS: Final = 120_000
"""So long after a version the next one is kept, however little was changed."""
LOST: Final = 40
"""A text that gets shorter by so many characters at once is kept as it was, however young it is."""

_PREFIX: Final = "versions/"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Version:
    """What was written for all accounts, and until when, in milliseconds since 1970 UTC."""

    at: int
    text: str
    title: str = ""


_SHAPE: Final = TypeAdapter(tuple[Version, ...])


class DraftVersions:
    """The earlier texts of each draft, newest first."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._kept_at: dict[str, int] = {}
        self._writing: Future[None] | None = None

    async def of(self, draft_id: str) -> tuple[Version, ...]:
        """The versions of a draft. Raises Problem."""
        if self._writing is not None:
            await asyncio.wait([asyncio.wrap_future(self._writing)])
        return await self._core.read(lambda rows: _read(rows, draft_id))

    def note(self, before: ComposerDraft, after: ComposerDraft) -> bool:
        """Keeps what was written before a change, where it would be missed; says whether. Returns at once."""
        now = self._core.clock()
        since = self._kept_at.setdefault(before.draft_id, now)
        lost = len(before.text) - len(after.text) >= LOST
        is_missed = before.text != after.text and (lost or now - since >= APART_MS)
        if is_missed:
            self.keep(before)
        return is_missed

    def keep(self, draft: ComposerDraft) -> None:
        """Keeps what is written, before something else takes its place. Returns at once."""
        now = self._core.clock()
        if draft.text.strip():
            self._kept_at[draft.draft_id] = now
            version = Version(now, draft.text, draft.title)
            self._write(lambda rows: _put(rows, draft.draft_id, version))

    def forget_old(self) -> None:
        """Forgets the versions of drafts that are no more. Returns at once."""
        self._write(_forget_old)

    def _write(self, work: Callable[[Connection], None]) -> None:
        """Whoever asks for versions waits for it."""
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
    """What is being written is kept elsewhere, and a full disk is told there."""
    if error := done.exception():
        _log.warning("an earlier text could not be kept: %s", error)
