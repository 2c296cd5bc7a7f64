"""Taking due posts, holding them, and letting go: the SQL of the queue."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
    union,
    update,
)

from app.contract.companion import AttemptOutcome
from app.contract.enums import CreatedVia, PostingPlatform, PostStatus, PostType
from app.service.publishing.history import Attempt, ClaimedPost
from app.service.publishing.states import Event, sources, target
from app.service.store.tables import attempts, connections, posts

_NOW = bindparam("now", type_=posts.c.scheduled_at.type)
_FREE = or_(
    posts.c.claimed_until.is_(None),
    posts.c.claimed_until <= bindparam("leases_over", type_=posts.c.claimed_until.type),
    and_(posts.c.claimed_by.is_(None), posts.c.claimed_until <= _NOW),
)


@dataclass(frozen=True, slots=True)
class Request:
    """Who asks for posts, and for which.

    Attributes:
        owner: The engine that asks.
        now: Wall time.
        leases_over: Claims of others that end before this are over; ``now``, or earlier (see ``jumps``).
        horizon: Posts due before this are taken; a little later than ``now``.
        lease_until: Until when the claim holds.
        limit: The most posts to take that are not late.
        carried: Posts that this engine has in hand already.
        busy: Connections that have enough posts in hand already.
        late_before: Posts due before this are late.
        late_limit: The most late posts to take.
        late_busy: Connections that have enough late posts in hand already.
    """

    owner: UUID
    now: datetime
    leases_over: datetime
    horizon: datetime
    lease_until: datetime
    limit: int
    carried: Collection[UUID]
    busy: Collection[UUID]
    late_before: datetime
    late_limit: int
    late_busy: Collection[UUID]


@dataclass(frozen=True, slots=True)
class Claim:
    """What was taken, soonest first, and when there may be more; None: nothing is planned."""

    posts: Sequence[ClaimedPost]
    next_at: datetime | None


def claim(connection: Connection, request: Request) -> Claim:
    """Takes what is due or unresolved and free, in one statement, and reads all that its journey needs."""
    taken = {
        "owner": request.owner,
        "now": request.now,
        "leases_over": request.leases_over,
        "horizon": request.horizon,
        "lease_until": request.lease_until,
        "most": request.limit,
        "carried": list(request.carried),
        "busy": list(request.busy),
        "late_before": request.late_before,
        # Carried posts grow late, so the limit can be passed. SQLite takes a negative one for none at all.
        "late_most": max(0, request.late_limit),
        "late_busy": list(request.late_busy),
    }
    rows = connection.execute(CLAIM, taken).all()
    return Claim(read_posts(connection, rows), _next_moment(connection, request))


def _due(when: ColumnElement[bool], busy: str, most: str) -> Select[tuple[UUID]]:
    return (
        select(posts.c.id)
        .where(posts.c.status.in_(sorted(sources(Event.BEGIN))), when)
        .where(_FREE, _not_among(posts.c.connection_id, busy))
        .order_by(posts.c.scheduled_at)
        .limit(bindparam(most))
        .with_for_update(skip_locked=True)
    )


def _unresolved() -> Select[tuple[UUID]]:
    """Posts of any status whose last answer was lost: also a deleted one may turn out to be live."""
    return (
        select(posts.c.id)
        .join(attempts, attempts.c.post_id == posts.c.id)
        .where(attempts.c.finished_at.is_(None), _FREE)
        .limit(bindparam("most"))
        .with_for_update(of=posts, skip_locked=True)
    )


def _not_among(column: ColumnElement[UUID], name: str) -> ColumnElement[bool]:
    return column.not_in(bindparam(name, expanding=True, type_=column.type))


_TAKEN_STATUS = case(
    (
        posts.c.status.in_(sorted(sources(Event.DUE))) & (posts.c.scheduled_at <= _NOW),
        target(Event.DUE).value,
    ),
    else_=posts.c.status,
)

# The subqueries are common table expressions so that PostgreSQL runs each once, whatever its plan.
_LATE_BEFORE = bindparam("late_before", type_=posts.c.scheduled_at.type)
_HORIZON = bindparam("horizon", type_=posts.c.scheduled_at.type)
_due_ids = _due(posts.c.scheduled_at.between(_LATE_BEFORE, _HORIZON), "busy", "most").cte("due")
# Apart, so that however many were missed, what is due now does not wait behind them.
_late_ids = _due(posts.c.scheduled_at < _LATE_BEFORE, "late_busy", "late_most").cte("late")
_unresolved_ids = _unresolved().cte("unresolved")
CLAIM = (
    update(posts)
    .where(posts.c.id.in_(union(*(select(ids.c.id) for ids in (_due_ids, _late_ids, _unresolved_ids)))))
    # Here alone, since the list may be long and is sent each time that it is named.
    .where(_not_among(posts.c.id, "carried"))
    .values(
        claimed_by=bindparam("owner", type_=posts.c.id.type),
        claimed_until=bindparam("lease_until", type_=posts.c.claimed_until.type),
        status=_TAKEN_STATUS,
    )
    .returning(*posts.c)
)

_NEXT = select(
    select(func.min(posts.c.scheduled_at))
    .where(posts.c.status == PostStatus.SCHEDULED.value, posts.c.scheduled_at > _HORIZON)
    .scalar_subquery(),
    select(func.min(posts.c.claimed_until)).where(posts.c.claimed_until > _NOW).scalar_subquery(),
)


def _next_moment(connection: Connection, request: Request) -> datetime | None:
    due, held = connection.execute(_NEXT, {"now": request.now, "horizon": request.horizon}).one()
    # A post may be taken from the horizon on. Half of that time goes by, so that many share a claim.
    taken = due - (request.horizon - request.now) / 2 if due else None
    return min((moment for moment in (taken, held) if moment), default=None)


def read_posts(connection: Connection, rows: Sequence[Row[Any]]) -> list[ClaimedPost]:
    """Rows of ``posts`` with their accounts and attempts, soonest first."""
    if not rows:
        return []
    whose = {"ids": list({row.connection_id for row in rows})}
    accounts = {row.id: row for row in connection.execute(_ACCOUNTS, whose)}
    history = _history(connection, [row.id for row in rows])
    found = [_claimed_post(row, accounts[row.connection_id], tuple(history.get(row.id, ()))) for row in rows]
    return sorted(found, key=lambda post: post.scheduled_at)


_IDS = bindparam("ids", expanding=True, type_=posts.c.id.type)
_ACCOUNTS = select(connections.c.id, connections.c.account_identifier, connections.c.username).where(
    connections.c.id.in_(_IDS)
)
_ATTEMPTS = select(attempts).where(attempts.c.post_id.in_(_IDS)).order_by(attempts.c.started_at)


def _history(connection: Connection, ids: Sequence[UUID]) -> dict[UUID, list[Attempt]]:
    history: dict[UUID, list[Attempt]] = {}
    for row in connection.execute(_ATTEMPTS, {"ids": list(ids)}):
        history.setdefault(row.post_id, []).append(
            Attempt(
                id=row.id,
                step=row.step,
                outcome=AttemptOutcome(row.outcome),
                started_at=row.started_at,
                finished_at=row.finished_at,
                unknown_since=row.unknown_since,
            )
        )
    return history


def _claimed_post(row: Any, account: Any, history: tuple[Attempt, ...]) -> ClaimedPost:
    return ClaimedPost(
        id=row.id,
        account_id=row.account_id,
        connection_id=row.connection_id,
        platform=PostingPlatform(row.platform),
        post_type=PostType(row.post_type),
        status=PostStatus(row.status),
        title=row.title,
        description=row.description,
        scheduled_at=row.scheduled_at,
        batch_id=row.batch_id,
        created_via=CreatedVia(row.created_via),
        account_identifier=account.account_identifier,
        username=account.username,
        media_storage_path=row.media_storage_path,
        board_id=row.pinterest_board_id,
        board_name=row.pinterest_board_name,
        link=row.pinterest_link,
        attempts=history,
    )


def release(connection: Connection, post_id: UUID, owner: UUID, *, until: datetime | None = None) -> None:
    """Lets go of a post; nobody takes it before ``until``. A claim that was lost meanwhile stays as it is."""
    connection.execute(_RELEASE, {"post": post_id, "owner": owner, "until": until})


_RELEASE = (
    update(posts)
    .where(posts.c.id == bindparam("post"), posts.c.claimed_by == bindparam("owner"))
    .values(claimed_by=None, claimed_until=bindparam("until"))
)


def release_all(connection: Connection, owner: UUID) -> None:
    """Lets go of everything that ``owner`` holds."""
    connection.execute(
        update(posts).where(posts.c.claimed_by == owner).values(claimed_by=None, claimed_until=None)
    )


def release_connection(connection: Connection, connection_id: UUID) -> None:
    """Ends the waits of an account's posts: what they waited for may be over."""
    waiting = posts.c.connection_id == connection_id, posts.c.claimed_by.is_(None)
    due = posts.c.status.in_(sorted(sources(Event.BEGIN)))
    connection.execute(
        update(posts).where(*waiting, due, posts.c.claimed_until.is_not(None)).values(claimed_until=None)
    )


def renew(
    connection: Connection, owner: UUID, ids: Collection[UUID], lease_until: datetime
) -> frozenset[UUID]:
    """Holds on to posts whose call takes long; gives those that were still ours."""
    held = connection.scalars(
        update(posts)
        .where(posts.c.claimed_by == owner, posts.c.id.in_(ids))
        .values(claimed_until=lease_until)
        .returning(posts.c.id)
    )
    return frozenset(held)
