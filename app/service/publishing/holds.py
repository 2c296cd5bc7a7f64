"""SQL for ``preparations``: which worker uploads a post's file.

Only one at a time: a preparer, ahead of time and while it renews its lease, or the publisher, once it has
claimed the due post. Every write of a step checks the hold, so a worker suspended past the end of its lease
does no harm. A lease that ends later than any could (the clock was set back) may be taken over immediately.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    exists,
    false,
    literal_column,
    not_,
    or_,
    select,
    type_coerce,
    update,
)

from app.contract.enums import PostingPlatform
from app.database import is_one_of
from app.database.dialects import upsert
from app.service.accounts.moves import is_here
from app.service.publishing.claims import read_posts
from app.service.publishing.history import ClaimedPost, Event, sources
from app.service.store.tables import media, posts, preparations

_MS: Final = timedelta(milliseconds=1)
_MOST_WAITING: Final = 100


@dataclass(frozen=True, slots=True)
class Wish:
    """A request for posts to prepare.

    Attributes:
        owner: The requesting preparer.
        now: Wall time.
        lease: How long a hold lasts without renewal.
        limit: Maximum number of posts to take.
        earliest: For each platform, how long before its time a post may be prepared.
        lead: How long before its time an empty file would be prepared.
        rate: Assumed upload speed, in bytes per second.
        not_after: Posts due before this are left to the publisher.
        busy: Connections to skip for now.
    """

    owner: UUID
    now: datetime
    lease: timedelta
    limit: int
    earliest: Mapping[PostingPlatform, timedelta]
    lead: timedelta
    rate: int
    not_after: datetime
    busy: Collection[UUID]


def waiting(connection: Connection, wish: Wish) -> list[UUID]:
    """Return ids of posts that could be prepared now, earliest first, one per connection. Reads only."""
    times: dict[str, Any] = {}
    for platform, earliest in wish.earliest.items():
        times[f"{platform}_begins"] = wish.now + earliest
        times[f"{platform}_keeps"] = earliest // _MS
    asked = times | {
        "busy": list(wish.busy),
        "not_after": wish.not_after,
        "latest": wish.now + max(wish.earliest.values(), default=timedelta()),
        "lead": wish.lead // _MS,
        "rate": wish.rate,
    }
    asked |= _moments(wish.now, wish.lease)
    first: dict[UUID, UUID] = {}
    for row in connection.execute(_waiting(tuple(wish.earliest)), asked):
        first.setdefault(row.connection_id, row.id)
    return list(first.values())[: wish.limit]


def hold(connection: Connection, wish: Wish, ids: Collection[UUID]) -> list[ClaimedPost]:
    """Hold those of the posts that are still free, and return them with everything needed to prepare."""
    if not ids:
        return []
    row = upsert(connection, preparations).on_conflict_do_nothing()
    connection.execute(row, [{"post_id": post_id} for post_id in ids])
    asked = {
        "ids": list(ids),
        "not_after": wish.not_after,
        "owner": wish.owner,
        "until": wish.now + wish.lease,
    }
    held = list(connection.scalars(_HOLD, asked | _moments(wish.now, wish.lease)))
    return read_posts(connection, connection.execute(_HELD, {"ids": held}).all())


def take(connection: Connection, post_id: UUID, owner: UUID, now: datetime, lease: timedelta) -> bool:
    """Take the preparation of a post claimed by ``owner``; False while a preparer holds it."""
    taken = {"held_by": owner, "held_until": None}
    row = upsert(connection, preparations).values(post_id=post_id, **taken)
    row = row.on_conflict_do_update(index_elements=[preparations.c.post_id], set_=taken, where=_FREE)
    return connection.scalar(row.returning(preparations.c.post_id), _moments(now, lease)) is not None


def renew(
    connection: Connection,
    owner: UUID,
    ids: Collection[UUID],
    now: datetime,
    lease: timedelta,
    far: timedelta,
) -> set[UUID]:
    """Renew holds; return the ids that are still held and still scheduled.

    Releases posts that were cancelled, deleted, left to the user, or moved to a time more than ``far`` ahead.
    """
    on_its_way = exists().where(
        posts.c.id == preparations.c.post_id,
        is_one_of(posts.c.status, sources(Event.BEGIN)),
        posts.c.scheduled_at <= now + far,
        ~posts.c.by_hand,
    )
    mine = preparations.c.held_by == owner, preparations.c.post_id.in_(ids)
    connection.execute(
        update(preparations).where(*mine, not_(on_its_way)).values(held_by=None, held_until=None)
    )
    kept = update(preparations).where(*mine).values(held_until=now + lease)
    return set(connection.scalars(kept.returning(preparations.c.post_id)))


def is_held(connection: Connection, post_id: UUID, owner: UUID) -> bool:
    """Whether ``owner`` may write the post's steps; locks the row for the rest of the transaction."""
    return connection.scalar(_IS_HELD, {"post": post_id, "owner": owner}) is not None


def release(connection: Connection, post_id: UUID, owner: UUID, **changes: Any) -> bool:
    """End a hold and apply ``changes`` to the row; False if the hold was already lost."""
    ended = {"post": post_id, "owner": owner, "held_until": None, **changes}
    return bool(connection.execute(_END, ended).rowcount)


def tries(connection: Connection, post_id: UUID) -> int:
    """Return the number of failed preparations of the post."""
    return connection.scalar(select(preparations.c.tries).where(preparations.c.post_id == post_id)) or 0


def release_all(connection: Connection) -> None:
    """End the holds of preparers that died. Only for the single owner of a data folder."""
    ended = update(preparations).where(preparations.c.held_until.is_not(None))
    connection.execute(ended.values(held_by=None, held_until=None))


def release_others(connection: Connection, owner: UUID, kept: Collection[UUID]) -> None:
    """End every hold of ``owner`` except those on ``kept``; skips rows that are being changed."""
    held = preparations.c.held_by == owner, preparations.c.held_until.is_not(None)
    others = select(preparations.c.post_id).where(*held, preparations.c.post_id.not_in(kept))
    ended = update(preparations).where(preparations.c.post_id.in_(others.with_for_update(skip_locked=True)))
    connection.execute(ended.values(held_by=None, held_until=None))


def _moments(now: datetime, lease: timedelta) -> dict[str, datetime]:
    """Return the parameters of ``_FREE``."""
    return {"now": now, "after_any": now + 2 * lease}


_NOW: Final = bindparam("now", type_=posts.c.scheduled_at.type)
_UNTIL: Final = preparations.c.held_until
_AFTER_ANY: Final = bindparam("after_any", type_=preparations.c.held_until.type)
_FREE: Final = or_(_UNTIL.is_(None), _UNTIL <= _NOW, _UNTIL > _AFTER_ANY)

# Literally as in the index: SQLite doesn't use a partial index for a query with parameters.
_IN_INDEX: Final = (
    posts.c.status == literal_column("'scheduled'"),
    posts.c.media_storage_path != literal_column("''"),
)
# Posts that the publisher leaves alone for now.
_LEFT: Final = and_(
    *_IN_INDEX,
    posts.c.scheduled_at > bindparam("not_after", type_=posts.c.scheduled_at.type),
    posts.c.claimed_by.is_(None),
    ~posts.c.by_hand,
)
_DUE: Final = type_coerce(posts.c.scheduled_at, BigInteger)

_HOLD: Final = (
    update(preparations)
    .where(
        preparations.c.post_id.in_(
            select(preparations.c.post_id)
            .where(preparations.c.post_id.in_(bindparam("ids", expanding=True, type_=posts.c.id.type)), _FREE)
            .where(exists().where(posts.c.id == preparations.c.post_id, _LEFT))
            .with_for_update(skip_locked=True)
        )
    )
    .values(held_by=bindparam("owner"), held_until=bindparam("until"))
    .returning(preparations.c.post_id)
)
_HELD: Final = select(posts).where(posts.c.id.in_(bindparam("ids", expanding=True, type_=posts.c.id.type)))
_MINE: Final = (
    preparations.c.post_id == bindparam("post"),
    preparations.c.held_by == bindparam("owner"),
)
_IS_HELD: Final = select(preparations.c.post_id).where(*_MINE).with_for_update()
_END: Final = update(preparations).where(*_MINE).values(held_by=None)


@cache
def _waiting(platforms: tuple[PostingPlatform, ...]) -> Select[Any]:
    """Return the query of ``waiting``. Building it takes longer than running it."""
    return (
        select(posts.c.id, posts.c.connection_id)
        .join(media, media.c.storage_path == posts.c.media_storage_path)
        .outerjoin(preparations, preparations.c.post_id == posts.c.id)
        .where(_LEFT, _FREE, _is_time(platforms), is_here(posts.c.account_id))
        .where(posts.c.connection_id.not_in(bindparam("busy", expanding=True, type_=posts.c.id.type)))
        .where(or_(preparations.c.next_at.is_(None), preparations.c.next_at <= _NOW))
        .order_by(posts.c.scheduled_at)
        .limit(_MOST_WAITING)
    )


def _is_time(platforms: Collection[PostingPlatform]) -> ColumnElement[bool]:
    """Whether to upload now: late enough for the platform to keep the file, early enough to finish."""
    instant = posts.c.scheduled_at.type
    needed = bindparam("lead", type_=BigInteger) + media.c.size_bytes * 1000 // bindparam(
        "rate", type_=BigInteger
    )
    windows = [
        and_(
            posts.c.platform == platform.value,
            posts.c.scheduled_at <= bindparam(f"{platform}_begins", type_=instant),
            # A post moved to a later time is prepared again near that time.
            or_(
                preparations.c.settled_at.is_(None),
                type_coerce(preparations.c.settled_at, BigInteger)
                < _DUE - bindparam(f"{platform}_keeps", type_=BigInteger),
            ),
        )
        for platform in platforms
    ]
    # Repeated outside the windows so that no database scans posts scheduled for much later.
    latest = posts.c.scheduled_at <= bindparam("latest", type_=instant)
    return and_(latest, type_coerce(_DUE - needed, instant) <= _NOW, or_(false(), *windows))
