"""Earlier versions of a draft's text, so that overwritten text can be restored."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
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
    """The text for all accounts or for one, and until when it was current, in ms since 1970 UTC."""

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
        """Store the texts that a change takes away, if they're worth it; return whether. Returns immediately.

        These are the shared text and those of single accounts, which also end with "Use the shared text".
        """
        now = self._core.clock()
        is_apart = now - self._kept_at.setdefault(before.draft_id, now) >= APART_MS
        there = _texts(after)
        lost = [
            version
            for account, version in _texts(before).items()
            if _is_missed(version.text, there[account].text if account in there else None, is_apart)
        ]
        return self._keep(before.draft_id, lost)

    def keep(self, draft: ComposerDraft) -> None:
        """Store the texts before they're replaced. Returns immediately."""
        self._keep(draft.draft_id, list(_texts(draft).values()))

    def _keep(self, draft_id: str, texts: Sequence[Version]) -> bool:
        now = self._core.clock()
        versions = [replace(one, at=now) for one in texts if one.text.strip()]
        if versions:
            self._kept_at[draft_id] = now
            self._write(lambda rows: _put(rows, draft_id, versions))
        return bool(versions)

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


def _texts(draft: ComposerDraft) -> dict[str, Version]:
    """Return the shared text under "", and those of accounts that have their own."""
    own = {key: Version(0, text, draft.titles.get(key, "")) for key, text in draft.texts.items()}
    return {"": Version(0, draft.text, draft.title), **own}


def _is_missed(before: str, after: str | None, is_apart: bool) -> bool:
    """Whether users could want a text again; ``after`` is None if its account has no own text any more."""
    if after is None:
        return True
    return before != after and (is_apart or len(before) - len(after) >= LOST)


def _put(connection: Connection, draft_id: str, versions: Sequence[Version]) -> None:
    texts = {one.text for one in versions}
    others = (one for one in _read(connection, draft_id) if one.text not in texts)
    put_setting(connection, _PREFIX + draft_id, (*versions, *others)[:VERSIONS_MAX], _SHAPE)


def _read(connection: Connection, draft_id: str) -> tuple[Version, ...]:
    return get_setting(connection, _PREFIX + draft_id, _SHAPE) or ()


def _say(done: Future[None]) -> None:
    """Log the error. The draft itself is stored elsewhere, where a full disk is reported."""
    if error := done.exception():
        _log.warning("an earlier text could not be kept: %s", error)
