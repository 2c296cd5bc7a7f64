"""Reads stored rows, in threads. What the calendar shows first is read in `first`."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import Connection, Row, select

from app.workspace.outbox.intention import Intention, Wanted
from app.workspace.outbox.unanswered import LateCall, Unanswered
from app.workspace.store import first
from app.workspace.store.first import PIECE
from app.workspace.store.rows import PostRow
from app.workspace.store.tables import late_calls, posts, undo_steps
from app.workspace.undo import Doing, Edit, Label, Step


def post_rows(connection: Connection, keys: Collection[str]) -> list[PostRow]:
    """Return whole rows."""
    return [row for key in keys if (row := post_row(connection, key))]


def post_row(connection: Connection, key: str) -> PostRow | None:
    columns = [posts.c[field.name] for field in fields(PostRow)]
    row = connection.execute(select(*columns).where(posts.c.key == key)).one_or_none()
    return PostRow(*row) if row else None


def texts(connection: Connection, keys: Sequence[str]) -> dict[str, str]:
    """Return the whole texts of some posts, by key."""
    found = connection.execute(select(posts.c.key, posts.c.description).where(posts.c.key.in_(keys)))
    return {key: text or "" for key, text in found}


def posts_planned_here(connection: Connection, keys: Sequence[str]) -> Iterator[PostRow]:
    """Return the rows of those posts that were planned in this app, not in another program."""
    columns = [posts.c[field.name] for field in fields(PostRow)]
    for start in range(0, len(keys), PIECE):
        piece = posts.c.key.in_(keys[start : start + PIECE])
        found = connection.execute(select(*columns).where(piece, posts.c.idempotency_key.is_not(None)))
        yield from (PostRow(*row) for row in found.all())


def intentions(connection: Connection, keys: Collection[str]) -> list[Intention]:
    """Return the intentions of some posts."""
    return [wish for wish in first.intentions(connection.exec_driver_sql) if wish.key in keys]


def unanswered(connection: Connection) -> list[Unanswered]:
    """Return all calls that may still be carried out."""
    return [
        Unanswered(
            row.key,
            Wanted(row.at, row.cancelled),
            tuple(LateCall(Wanted(at, cancelled), until) for at, cancelled, until in json.loads(row.calls)),
        )
        for row in connection.execute(select(late_calls))
    ]


def steps(connection: Connection) -> list[tuple[Step, bool]]:
    """Return the undo history, oldest first, with whether each step is done."""
    rows = connection.execute(select(undo_steps).order_by(undo_steps.c.id))
    return [(Step(row.id, _label(row), tuple(_edits(row)), row.made_at), row.done) for row in rows]


def _label(row: Row[Any]) -> Label:
    return Label(Doing(row.doing), row.number) if row.doing else Label(None, words=row.label)


def _edits(row: Row[Any]) -> Iterator[Edit]:
    for key, before_at, before_cancelled, after_at, after_cancelled in json.loads(row.edits):
        yield Edit(key, Wanted(before_at, before_cancelled), Wanted(after_at, after_cancelled))
