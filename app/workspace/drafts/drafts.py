"""All drafts: in memory immediately, on disk soon."""

import asyncio
import logging
from collections.abc import Callable, Collection, Hashable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.sqlite import insert

from app.language import tr
from app.workspace.changes import Changes
from app.workspace.core import Core
from app.workspace.editing.draft import ComposerDraft
from app.workspace.messages import Message
from app.workspace.problems import problem_of
from app.workspace.store.tables import drafts, get_setting, has_setting, posts, put_setting, rename_setting

_log = logging.getLogger(__name__)


_NOT_YET: Final = tr("Your text isn't saved yet. Keep Kalends open; it keeps trying to save it.")
_DISK_FULL: Final = tr(
    "Your disk is full or can't be written, so your text isn't saved yet. Free up space and keep Kalends "
    "open; it keeps trying. Nothing saved earlier is lost."
)
_ABOUT: Final = "what is being written"
_NOW: Final = tr("Your text is saved now.")

_NAME: Final = "composer"
_UNREADABLE: Final = "composer of another version"
_SHAPE: Final[TypeAdapter[ComposerDraft]] = TypeAdapter(ComposerDraft)


class KeptSoon:
    """Writes the newest row of each name. Failed writes are retried.

    Rows put in one step of the event loop are written in one transaction, so that a text that moves from one
    place to another is always in exactly one of them on disk.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._loop = asyncio.get_running_loop()
        self._unwritten: dict[Hashable, Callable[[Connection], None]] = {}
        self._begun = False
        self._warned = False
        self._retry: asyncio.TimerHandle | None = None

    @property
    def is_kept(self) -> bool:
        """Whether everything is on disk."""
        return not self._unwritten

    @property
    def is_failing(self) -> bool:
        """Whether the last write failed, and hasn't succeeded since."""
        return self._warned and not self.is_kept

    def waits(self, name: Hashable) -> bool:
        """Whether the newest row of a name isn't on disk yet."""
        return name in self._unwritten

    def put(self, name: Hashable, write: Callable[[Connection], None]) -> None:
        """Write a row, replacing a pending one of the same name. Returns immediately."""
        self._unwritten[name] = write
        self._begin_next()

    async def flush(self) -> None:
        """Write everything pending; raises DatabaseError."""
        self._cancel_retry()
        if self._unwritten:
            unwritten = dict(self._unwritten)
            await self._core.commit(lambda connection: _write(connection, unwritten))

    def _begin_next(self) -> None:
        """Start at the end of this step of the event loop; a running write looks for more at its end."""
        if not self._begun:
            self._begun = True
            self._loop.call_soon(self._begin)

    def _begin(self) -> None:
        self._cancel_retry()  # this is one
        unwritten = dict(self._unwritten)
        future = self._core.database.submit(lambda connection: _write(connection, unwritten))
        future.add_done_callback(lambda done: self._loop.call_soon_threadsafe(self._end, unwritten, done))

    def _end(self, written: dict[Hashable, Callable[[Connection], None]], done: Future[None]) -> None:
        self._begun = False
        if error := done.exception():
            self._warn(error)
            self._retry = self._loop.call_later(self._core.pace.save_again, self._begin_next)
            return
        for name, write in written.items():
            if self._unwritten.get(name) is write:
                del self._unwritten[name]
        if self._unwritten:
            self._begin_next()
            return
        if self._warned:
            self._warned = False
            self._core.messages.tell(Message("info", _NOW, about=_ABOUT))
        self._core.changes.tell(Changes(writing=True))

    def _cancel_retry(self) -> None:
        if self._retry:
            self._retry.cancel()

    def _warn(self, error: BaseException) -> None:
        _log.warning("what is being written could not be kept: %s", error)
        if not self._warned and isinstance(error, Exception):
            self._warned = True
            problem = problem_of(error)
            text = _DISK_FULL if problem.kind == "disk_full" else f"{_NOT_YET} {problem.text}"
            self._core.messages.tell(Message("error", text, about=_ABOUT))


def _write(connection: Connection, unwritten: dict[Hashable, Callable[[Connection], None]]) -> None:
    for write in unwritten.values():
        write(connection)


class DraftKeeper:
    """The newest draft is in memory immediately and on disk soon.

    ``has_planned`` says whether posts with an idempotency key are already planned.
    """

    def __init__(self, core: Core, kept_soon: KeptSoon, has_planned: Callable[[str], bool]) -> None:
        self._core = core
        self._kept_soon = kept_soon
        self._draft: ComposerDraft | None = None
        self._has_planned = has_planned
        self._is_known = False

    async def load(self) -> ComposerDraft | None:
        """Return the saved draft; None if it's unknown or already planned. Raises Problem."""
        draft = await self._load()
        if draft is not None and self._is_planned(draft):
            self.save(None)  # permanently: it must not come back when its posts are undone
            return None
        return draft

    def _is_planned(self, draft: ComposerDraft) -> bool:
        """Whether the app was killed after the posts were kept, and before the draft was forgotten.

        Which accounts it was for may not be kept: they were chosen in the last moment.
        """
        return self._has_planned(draft.idempotency_key(""))

    async def _load(self) -> ComposerDraft | None:
        if not self._is_known:
            kept = await self._core.read(_read)
            is_unreadable = kept is None and await self._core.read(partial(has_setting, name=_NAME))
            if not self._is_known:
                self._draft, self._is_known = kept, True
                if is_unreadable:
                    _log.warning("the unfinished post is not of this version and was set aside")
                    self._kept_soon.put(_UNREADABLE, _set_aside)
        return self._draft

    def unsaved(self) -> ComposerDraft | None:
        """Return the draft if it isn't on disk yet."""
        return self._draft if self._kept_soon.waits(_NAME) else None

    def save(self, draft: ComposerDraft | None) -> None:
        """Save a draft; None deletes it. Returns immediately."""
        self._draft, self._is_known = draft, True
        self._kept_soon.put(_NAME, lambda c: put_setting(c, _NAME, draft, _SHAPE))


def _read(connection: Connection) -> ComposerDraft | None:
    return get_setting(connection, _NAME, _SHAPE)


def forget_composed(connection: Connection, draft_id: str) -> None:
    """Delete the composer's draft from the file if it has this ID."""
    kept = _read(connection)
    if kept is not None and kept.draft_id == draft_id:
        put_setting(connection, _NAME, None, _SHAPE)


def _set_aside(connection: Connection) -> None:
    """Rename an unreadable draft, before another one takes its place. May run twice."""
    if _read(connection) is None:
        rename_setting(connection, _NAME, _UNREADABLE)


CONTENT: Final[TypeAdapter[ComposerDraft]] = TypeAdapter(ComposerDraft)
"""The stored form of a draft's content."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft's content, and when it was written, in ms since 1970 UTC."""

    content: ComposerDraft
    created_at: int
    updated_at: int

    @property
    def id(self) -> str:
        return self.content.draft_id


class Drafts:
    """Drafts by ID. Saving never blocks."""

    def __init__(self, core: Core, kept_soon: KeptSoon, kept: Iterable[Draft]) -> None:
        self._core = core
        self._kept_soon = kept_soon
        self._all = {draft.id: draft for draft in kept}

    def all(self) -> list[Draft]:
        """All drafts, the last changed first."""
        newest_first = reversed(self._all.values())  # for those changed in the same moment
        return sorted(newest_first, key=lambda draft: draft.updated_at, reverse=True)

    def unsaved(self) -> list[Draft]:
        """Return the drafts that aren't on disk yet."""
        return [draft for draft in self.all() if self._kept_soon.waits(("draft", draft.id))]

    def get(self, draft_id: str) -> Draft | None:
        return self._all.get(draft_id)

    def keep(self, content: ComposerDraft) -> Draft:
        """Save a new or changed draft."""
        draft = self.new(content)
        before = self._all.pop(content.draft_id, None)  # it comes last again, see `all`
        if before is not None:
            draft = replace(draft, created_at=before.created_at)
        self._all[draft.id] = draft
        self._kept_soon.put(("draft", draft.id), partial(_put, draft=draft))
        self._core.changes.tell(Changes(drafts=True))
        return draft

    def keep_until_posted(self, draft: Draft, keys: Iterable[str]) -> None:
        """Save a draft that isn't listed, unless one of its posts is on disk; the journal deletes it then."""
        write = partial(_put_unless_posted, draft=draft, keys=tuple(keys))
        self._kept_soon.put(("draft", draft.id), write)

    def forget_posted(self, draft_id: str) -> None:
        """Delete a draft that isn't listed, because its text is elsewhere."""
        self._kept_soon.put(("draft", draft_id), partial(remove_drafts, ids=(draft_id,)))

    def new(self, content: ComposerDraft) -> Draft:
        """Return a new draft, which isn't saved yet."""
        now = self._core.clock()
        return Draft(content, now, now)

    def take_in(self, written: Iterable[Draft]) -> None:
        """Add drafts that another part has written to the file."""
        self._all |= {draft.id: draft for draft in written}
        self._core.changes.tell(Changes(drafts=True))

    def take_out(self, removed: Iterable[ComposerDraft]) -> None:
        """Remove drafts that another part has removed from the file, unless they were edited meanwhile."""
        for content in removed:
            if (draft := self._all.get(content.draft_id)) is not None and draft.content == content:
                del self._all[draft.id]
        self._core.changes.tell(Changes(drafts=True))

    def remove(self, ids: Iterable[str]) -> None:
        """Delete drafts."""
        gone = [draft_id for draft_id in ids if self._all.pop(draft_id, None)]
        for draft_id in gone:
            self._kept_soon.put(("draft", draft_id), partial(remove_drafts, ids=(draft_id,)))
        if gone:
            self._core.changes.tell(Changes(drafts=True))


def load_drafts(connection: Connection) -> list[Draft]:
    """Return all readable drafts."""
    found = []
    for row in connection.execute(select(drafts)):
        try:
            found.append(Draft(CONTENT.validate_json(row.content), row.created_at, row.updated_at))
        except ValidationError:
            _log.warning("a draft is not of this version and was left as it is")
    return found


def load_draft(connection: Connection, draft_id: str) -> ComposerDraft | None:
    """Return the content of a draft; None if there's none, or it's of another version."""
    content = connection.scalar(select(drafts.c.content).where(drafts.c.id == draft_id))
    try:
        return None if content is None else CONTENT.validate_json(content)
    except ValidationError:
        return None


def load_unedited(connection: Connection, draft_id: str) -> ComposerDraft | None:
    """Return the content of a draft that is as it was first written."""
    is_unedited = drafts.c.updated_at == drafts.c.created_at
    found = connection.scalar(select(drafts.c.id).where(drafts.c.id == draft_id, is_unedited))
    return None if found is None else load_draft(connection, draft_id)


def put_new_drafts(connection: Connection, made: Iterable[Draft]) -> list[str]:
    """Write drafts with new IDs, and return those IDs."""
    written = []
    for draft in made:
        put = insert(drafts).values(_row(draft)).on_conflict_do_nothing()
        if connection.execute(put).rowcount:
            written.append(draft.id)
    return written


def _row(draft: Draft) -> dict[str, Any]:
    return {
        "id": draft.id,
        "content": CONTENT.dump_json(draft.content).decode(),
        "words": _words(draft.content),
        "created_at": draft.created_at,
        "updated_at": draft.updated_at,
    }


def _put(connection: Connection, draft: Draft) -> None:
    put = insert(drafts).values(_row(draft))
    changes = {name: put.excluded[name] for name in ("content", "words", "updated_at")}
    connection.execute(put.on_conflict_do_update(index_elements=["id"], set_=changes))


def _put_unless_posted(connection: Connection, draft: Draft, keys: Collection[str]) -> None:
    if connection.scalar(select(posts.c.key).where(posts.c.key.in_(keys)).limit(1)) is None:
        _put(connection, draft)
    else:
        remove_drafts(connection, (draft.id,))


def remove_drafts(connection: Connection, ids: Collection[str]) -> None:
    """Delete drafts from the file."""
    if ids:
        connection.execute(delete(drafts).where(drafts.c.id.in_(ids)))


def _words(content: ComposerDraft) -> str:
    return "\n".join((content.text, content.title, *content.texts.values(), *content.titles.values()))
