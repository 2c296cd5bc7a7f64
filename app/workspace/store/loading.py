"""Reading what was kept. Runs in threads, a piece at a time, so that the window stays awake meanwhile."""

import json
from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import Connection, Row, func, select

from app.workspace.outbox.intention import Intention, Wanted
from app.workspace.store.rows import PostRow
from app.workspace.store.tables import outbox, posts, undo_steps
from app.workspace.undo.step import Edit, Step

PIECE = 2_000
_CARD_TEXT = 1_400
"""How much of a text is read for its first words."""


def post_piece(connection: Connection, after: str) -> list[PostRow]:
    """The next posts in the order of keys, their texts cut to what a card needs."""
    columns = [column for column in posts.c if column.name != "description"]
    text = func.substr(posts.c.description, 1, _CARD_TEXT).label("description")
    query = select(*columns, text).where(posts.c.key > after).order_by(posts.c.key).limit(PIECE)
    return [PostRow(**row._asdict()) for row in connection.execute(query)]


def post_rows(connection: Connection, keys: Collection[str]) -> list[PostRow]:
    """Whole rows."""
    return [row for key in keys if (row := post_row(connection, key))]


def post_row(connection: Connection, key: str) -> PostRow | None:
    row = connection.execute(select(posts).where(posts.c.key == key)).one_or_none()
    return PostRow(**row._asdict()) if row else None


def intentions(connection: Connection, keys: Collection[str] | None = None) -> list[Intention]:
    """Every intention, or those of some posts."""
    return [
        Intention(row.key, Wanted(row.at, row.cancelled), row.version, row.attempts, row.create_at)
        for row in connection.execute(select(outbox))
        if keys is None or row.key in keys
    ]


def steps(connection: Connection) -> list[tuple[Step, bool]]:
    """The undo history, oldest first, with whether each step is done."""
    rows = connection.execute(select(undo_steps).order_by(undo_steps.c.id))
    return [(Step(row.id, row.label, tuple(_edits(row))), row.done) for row in rows]


def _edits(row: Row[Any]) -> Iterator[Edit]:
    for key, before_at, before_cancelled, after_at, after_cancelled in json.loads(row.edits):
        yield Edit(key, Wanted(before_at, before_cancelled), Wanted(after_at, after_cancelled))
