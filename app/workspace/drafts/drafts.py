"""Every draft, in memory at once and on disk soon; what cannot be written is tried again."""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.sqlite import insert

from app.workspace.changes import Changes
from app.workspace.composer.draft import ComposerDraft
from app.workspace.core import Core
from app.workspace.messages import Message
from app.workspace.problems import problem_of
from app.workspace.store.tables import drafts

_CONTENT: TypeAdapter[ComposerDraft] = TypeAdapter(ComposerDraft)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Draft:
    """What was written, and when, in milliseconds since 1970 UTC."""

    content: ComposerDraft
    created_at: int
    updated_at: int

    @property
    def id(self) -> str:
        return self.content.draft_id


class Drafts:
    """Drafts by id. Writing never makes anybody wait."""

    def __init__(self, core: Core, kept: Iterable[Draft]) -> None:
        self._core = core
        self._loop = asyncio.get_running_loop()
        self._all = {draft.id: draft for draft in kept}
        self._unwritten: dict[str, Draft | None] = {}
        self._writing = False
        self._warned = False
        self._retry: asyncio.TimerHandle | None = None

    def all(self) -> list[Draft]:
        """The one that was changed last comes first."""
        newest_first = reversed(self._all.values())  # of those that were changed in the same moment
        return sorted(newest_first, key=lambda draft: draft.updated_at, reverse=True)

    def get(self, draft_id: str) -> Draft | None:
        return self._all.get(draft_id)

    def keep(self, content: ComposerDraft) -> Draft:
        """Keeps a draft under its id, new or changed."""
        now = self._core.clock()
        before = self._all.get(content.draft_id)
        draft = replace(before, content=content, updated_at=now) if before else Draft(content, now, now)
        self._all[draft.id] = draft
        self._change({draft.id: draft})
        return draft

    def remove(self, ids: Iterable[str]) -> None:
        """Forgets drafts."""
        gone = {draft_id: None for draft_id in ids if self._all.pop(draft_id, None)}
        if gone:
            self._change(gone)

    async def flush(self) -> None:
        """Writes what is not written yet; raises DatabaseError."""
        if self._retry:
            self._retry.cancel()
        if self._unwritten:
            unwritten = dict(self._unwritten)
            await self._core.write(lambda connection: _write(connection, unwritten))

    def _change(self, changed: Mapping[str, Draft | None]) -> None:
        self._unwritten.update(changed)
        self._core.changes.tell(Changes(drafts=True))
        self._begin()

    def _begin(self) -> None:
        if self._writing or not self._unwritten:
            return  # its end sees that there is more
        self._writing = True
        unwritten = dict(self._unwritten)
        future = self._core.database.submit(lambda connection: _write(connection, unwritten))
        future.add_done_callback(lambda done: self._loop.call_soon_threadsafe(self._end, unwritten, done))

    def _end(self, written: Mapping[str, Draft | None], done: Future[None]) -> None:
        self._writing = False
        if error := done.exception():
            self._warn(error)
            self._retry = self._loop.call_later(self._core.pace.save_again, self._begin)
            return
        self._warned = False
        for draft_id, draft in written.items():
            if self._unwritten.get(draft_id) is draft:
                del self._unwritten[draft_id]
        self._begin()

    def _warn(self, error: BaseException) -> None:
        _log.warning("a draft could not be kept: %s", error)
        if not self._warned and isinstance(error, Exception):
            self._warned = True
            text = "A draft is not saved yet. Keep Kalends open; it is tried again."
            self._core.messages.tell(Message("error", f"{text} {problem_of(error).text}"))


def load_drafts(connection: Connection) -> list[Draft]:
    """Every draft that can be read."""
    found = []
    for row in connection.execute(select(drafts)):
        try:
            found.append(Draft(_CONTENT.validate_json(row.content), row.created_at, row.updated_at))
        except ValidationError:
            _log.warning("a draft is not of this version and was left as it is")
    return found


def _write(connection: Connection, changed: Mapping[str, Draft | None]) -> None:
    for draft_id, draft in changed.items():
        if draft is None:
            connection.execute(delete(drafts).where(drafts.c.id == draft_id))
            continue
        put = insert(drafts).values(
            id=draft_id,
            content=_CONTENT.dump_json(draft.content).decode(),
            words=_words(draft.content),
            created_at=draft.created_at,
            updated_at=draft.updated_at,
        )
        changes = {name: put.excluded[name] for name in ("content", "words", "updated_at")}
        connection.execute(put.on_conflict_do_update(index_elements=["id"], set_=changes))


def _words(content: ComposerDraft) -> str:
    return "\n".join((content.text, content.title, *content.texts.values(), *content.titles.values()))
