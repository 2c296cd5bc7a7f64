"""Earlier versions of a draft's text, so that overwritten text can be restored."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Final, Literal

from pydantic import TypeAdapter
from sqlalchemy import Connection, delete, select

from app.workspace.core import Core
from app.workspace.editing.draft import SHARED, ComposerDraft
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
    account_key: str = SHARED


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

    def note(self, before: ComposerDraft, after: ComposerDraft) -> ComposerDraft:
        """Store the texts that a change takes away, if they're worth it. Returns immediately.

        These are the shared text and title and those of single accounts, which also end with "Use the shared
        text".

        Returns:
            What to compare with the next change: ``after``, but with the words that only got a little
            shorter as they were, so that words that are deleted letter by letter are stored as well.
        """
        now = self._core.clock()
        is_apart = now - self._kept_at.setdefault(before.draft_id, now) >= APART_MS
        old, new = _words(before), _words(after)
        missed = {place for place, words in old.items() if _is_missed(words, new.get(place), is_apart)}
        self._keep(
            before.draft_id, [_version(before, key) for key in dict.fromkeys(key for _, key in missed)]
        )
        if after.draft_id != before.draft_id:
            return after
        return _with(
            after,
            {
                place: words
                for place, words in old.items()
                if place not in missed and len(words) > len(new.get(place, words))
            },
        )

    def keep(self, draft: ComposerDraft) -> None:
        """Store the texts before they're replaced. Returns immediately."""
        self._keep(draft.draft_id, [_version(draft, key) for key in (SHARED, *draft.texts)])

    def _keep(self, draft_id: str, texts: Sequence[Version]) -> None:
        now = self._core.clock()
        versions = [replace(one, at=now) for one in texts if one.text.strip() or one.title.strip()]
        if versions:
            self._kept_at[draft_id] = now
            self._write(lambda rows: _put(rows, draft_id, versions))

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


_Place = tuple[Literal["text", "title"], str]
"""A text or a title, and the account key of its version."""


def _words(draft: ComposerDraft) -> dict[_Place, str]:
    """Return the shared text and title, and those of accounts that have their own."""
    return {
        ("text", SHARED): draft.text,
        ("title", SHARED): draft.title,
        **{("text", key): text for key, text in draft.texts.items()},
        **{("title", key): title for key, title in draft.titles.items()},
    }


def _with(draft: ComposerDraft, words: Mapping[_Place, str]) -> ComposerDraft:
    """Return a draft with some of its texts and titles replaced."""
    every = {**_words(draft), **words}
    return replace(
        draft,
        text=every["text", SHARED],
        title=every["title", SHARED],
        texts={key: every["text", key] for key in draft.texts},
        titles={key: every["title", key] for key in draft.titles},
    )


def _version(draft: ComposerDraft, account_key: str) -> Version:
    return Version(0, draft.text_for(account_key), draft.title_for(account_key), account_key)


def _is_missed(before: str, after: str | None, is_apart: bool) -> bool:
    """Whether users could want words again; ``after`` is None if their account has no own ones any more."""
    if not before.strip():
        return False
    return after is None or (before != after and (is_apart or len(before) - len(after) >= LOST))


def _put(connection: Connection, draft_id: str, versions: Sequence[Version]) -> None:
    there = {replace(one, at=0) for one in versions}
    others = (one for one in _read(connection, draft_id) if replace(one, at=0) not in there)
    put_setting(connection, _PREFIX + draft_id, (*versions, *others)[:VERSIONS_MAX], _SHAPE)


def _read(connection: Connection, draft_id: str) -> tuple[Version, ...]:
    return get_setting(connection, _PREFIX + draft_id, _SHAPE) or ()


def _say(done: Future[None]) -> None:
    """Log the error. The draft itself is stored elsewhere, where a full disk is reported."""
    if error := done.exception():
        _log.warning("an earlier text could not be kept: %s", error)
