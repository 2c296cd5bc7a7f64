"""Reading what was kept. Runs in threads, a piece at a time, so that the window stays awake meanwhile."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import fields
from sys import intern
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, select

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.workspace.outbox.intention import Intention, Wanted
from app.workspace.posts.planned import PlannedPost
from app.workspace.store.rows import PostRow
from app.workspace.store.tables import outbox, posts, undo_steps
from app.workspace.undo.label import Doing, Label
from app.workspace.undo.step import Edit, Step

PIECE = 2_000


class Identity(NamedTuple):
    """What a post is called here, by the service (None for not yet), and by who planned it."""

    key: str
    service_id: str | None
    idempotency_key: str | None


def post_piece(connection: Connection, after: str) -> list[tuple[PlannedPost, Identity]]:
    """The next posts in the order of keys, without their texts."""
    query = (
        select(
            posts.c.key,
            posts.c.service_id,
            posts.c.idempotency_key,
            posts.c.at,
            posts.c.account_key,
            posts.c.platform,
            posts.c.post_type,
            posts.c.status,
            posts.c.headline,
            posts.c.reason,
            posts.c.may_be_live,
            posts.c.posted_at,
            posts.c.batch_id,
            posts.c.media_storage_path,
        )
        .where(posts.c.key > after)
        .order_by(posts.c.key)
        .limit(PIECE)
    )
    return [_planned(row) for row in connection.execute(query)]


def _planned(row: Row[*tuple[Any, ...]]) -> tuple[PlannedPost, Identity]:
    post = PlannedPost(
        key=row.key,
        at=row.at,
        account_key=intern(row.account_key),  # a few accounts have all posts
        platform=PostingPlatform(row.platform),
        post_type=PostType(row.post_type),
        status=PostStatus(row.status),
        headline=row.headline,
        reason=row.reason,
        may_be_live=row.may_be_live,
        published=row.posted_at is not None,
        batch_id=intern(row.batch_id) if row.batch_id else None,
        media=row.media_storage_path,
    )
    return post, Identity(row.key, row.service_id, row.idempotency_key)


def post_rows(connection: Connection, keys: Collection[str]) -> list[PostRow]:
    """Whole rows."""
    return [row for key in keys if (row := post_row(connection, key))]


def post_row(connection: Connection, key: str) -> PostRow | None:
    columns = [posts.c[field.name] for field in fields(PostRow)]
    row = connection.execute(select(*columns).where(posts.c.key == key)).one_or_none()
    return PostRow(*row) if row else None


def texts(connection: Connection, keys: Sequence[str]) -> dict[str, str]:
    """The whole texts of some posts, by key."""
    found = connection.execute(select(posts.c.key, posts.c.description).where(posts.c.key.in_(keys)))
    return {key: text or "" for key, text in found}


def posts_planned_here(connection: Connection, keys: Sequence[str]) -> Iterator[PostRow]:
    """Whole rows of those of some posts that were planned here, and not by another program."""
    columns = [posts.c[field.name] for field in fields(PostRow)]
    for start in range(0, len(keys), PIECE):
        piece = posts.c.key.in_(keys[start : start + PIECE])
        found = connection.execute(select(*columns).where(piece, posts.c.idempotency_key.is_not(None)))
        yield from (PostRow(*row) for row in found.all())


def intentions(connection: Connection, keys: Collection[str] | None = None) -> list[Intention]:
    """Every intention, or those of some posts."""
    return [
        Intention(
            row.key,
            Wanted(row.at, row.cancelled),
            row.version,
            row.attempts,
            row.create_at,
            None if row.seen_at is None else Wanted(row.seen_at, row.seen_cancelled),
            tuple(Wanted(at, cancelled) for at, cancelled in json.loads(row.sent)),
            row.after,
        )
        for row in connection.execute(select(outbox))
        if keys is None or row.key in keys
    ]


def steps(connection: Connection) -> list[tuple[Step, bool]]:
    """The undo history, oldest first, with whether each step is done."""
    rows = connection.execute(select(undo_steps).order_by(undo_steps.c.id))
    return [(Step(row.id, _label(row), tuple(_edits(row)), row.made_at), row.done) for row in rows]


def _label(row: Row[Any]) -> Label:
    return Label(Doing(row.doing), row.number) if row.doing else Label(None, words=row.label)


def _edits(row: Row[Any]) -> Iterator[Edit]:
    for key, before_at, before_cancelled, after_at, after_cancelled in json.loads(row.edits):
        yield Edit(key, Wanted(before_at, before_cancelled), Wanted(after_at, after_cancelled))
