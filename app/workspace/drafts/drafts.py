"""All drafts, in memory immediately and on disk soon."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.sqlite import insert

from app.workspace.changes import Changes
from app.workspace.core import Core
from app.workspace.editing.draft import ComposerDraft
from app.workspace.editing.saving import KeptSoon
from app.workspace.store.tables import drafts

_CONTENT: TypeAdapter[ComposerDraft] = TypeAdapter(ComposerDraft)

_log = logging.getLogger(__name__)


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

    def get(self, draft_id: str) -> Draft | None:
        return self._all.get(draft_id)

    def keep(self, content: ComposerDraft) -> Draft:
        """Save a new or changed draft."""
        now = self._core.clock()
        before = self._all.get(content.draft_id)
        draft = replace(before, content=content, updated_at=now) if before else Draft(content, now, now)
        self._all[draft.id] = draft
        self._kept_soon.put(("draft", draft.id), partial(_put, draft=draft))
        self._core.changes.tell(Changes(drafts=True))
        return draft

    def take_in(self, written: Iterable[Draft]) -> None:
        """Add drafts that another part has written to the file."""
        self._all |= {draft.id: draft for draft in written}
        self._core.changes.tell(Changes(drafts=True))

    def remove(self, ids: Iterable[str]) -> None:
        """Delete drafts."""
        gone = [draft_id for draft_id in ids if self._all.pop(draft_id, None)]
        for draft_id in gone:
            self._kept_soon.put(("draft", draft_id), partial(_remove, draft_id=draft_id))
        if gone:
            self._core.changes.tell(Changes(drafts=True))


def load_drafts(connection: Connection) -> list[Draft]:
    """Return all readable drafts."""
    found = []
    for row in connection.execute(select(drafts)):
        try:
            found.append(Draft(_CONTENT.validate_json(row.content), row.created_at, row.updated_at))
        except ValidationError:
            _log.warning("a draft is not of this version and was left as it is")
    return found


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
        "content": _CONTENT.dump_json(draft.content).decode(),
        "words": _words(draft.content),
        "created_at": draft.created_at,
        "updated_at": draft.updated_at,
    }


def _put(connection: Connection, draft: Draft) -> None:
    put = insert(drafts).values(_row(draft))
    changes = {name: put.excluded[name] for name in ("content", "words", "updated_at")}
    connection.execute(put.on_conflict_do_update(index_elements=["id"], set_=changes))


def _remove(connection: Connection, draft_id: str) -> None:
    connection.execute(delete(drafts).where(drafts.c.id == draft_id))


def _words(content: ComposerDraft) -> str:
    return "\n".join((content.text, content.title, *content.texts.values(), *content.titles.values()))
