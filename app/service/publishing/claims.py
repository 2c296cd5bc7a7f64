"""SQL for the queue: claiming due posts, renewing claims and releasing them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Protocol
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    case,
    exists,
    func,
    or_,
    select,
    union,
    update,
)

from app.contract.companion import AttemptOutcome
from app.contract.enums import CreatedVia, PostingPlatform, PostStatus, PostType
from app.database import is_one_of
from app.service.accounts.moves import is_here
from app.service.publishing.history import Attempt, ClaimedPost, Event, sources, target
from app.service.publishing.pauses import ANYTHING_PAUSED
from app.service.store.tables import attempts, connections, posts

_NOW = bindparam("now", type_=posts.c.scheduled_at.type)
_FREE = or_(
    posts.c.claimed_until.is_(None),
    posts.c.claimed_until <= bindparam("leases_over", type_=posts.c.claimed_until.type),
    and_(posts.c.claimed_by.is_(None), posts.c.claimed_until <= _NOW),
)


@dataclass(frozen=True, slots=True)
class Request:
    """A request for posts to claim.

    Attributes:
        owner: The requesting engine.
        now: Wall time.
        leases_over: Claims of other engines that expire before this have expired; ``now``, or earlier (see
            `Jumps`).
        horizon: Claim posts due before this; slightly later than ``now``.
        lease_until: When the new claims expire.
        limit: Maximum number of punctual posts to claim.
        carried: Posts this engine is already processing.
        busy: Connections that already have enough posts in progress.
        late_before: Posts due before this are late.
        late_limit: Maximum number of late posts to claim.
        late_busy: Connections that already have enough late posts in progress.
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
    """The claimed posts, earliest first, and when to claim again; None if nothing is scheduled."""

    posts: Sequence[ClaimedPost]
    next_at: datetime | None


@dataclass(frozen=True, slots=True)
class Outlook:
    """Whether a claim may find something now, and when there may be more.

    Attributes:
        has_any: Whether a claim may find something.
        next_at: When there may be more; None if nothing is scheduled.
        has_pauses: Whether something may be paused.
    """

    has_any: bool
    next_at: datetime | None
    has_pauses: bool


def look(connection: Connection, request: Request) -> Outlook:
    """Check whether there's anything to claim. Usually there isn't, and a claim is a write.

    The conditions are those of ``claim``, without its limits and without regard to busy connections.
    """
    moments = {name: getattr(request, name) for name in ("now", "leases_over", "horizon")}
    has_due, has_unresolved, due, held, has_pauses = connection.execute(_LOOK, moments).one()
    return Outlook(has_due or has_unresolved, _next_moment(request, due, held), has_pauses)


def first_moment(connection: Connection) -> datetime | None:
    """Return when the first post was or will be due, claimed or not; None if nothing is scheduled.

    Attempts without a known outcome are always due.
    """
    first, unresolved = connection.execute(_FIRST).one()
    return _EPOCH if unresolved else first


def claim(connection: Connection, request: Request) -> Claim:
    """Claim due and unresolved posts, in one statement, with everything needed to publish them."""
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
        # Posts in progress become late, so the limit can be exceeded. SQLite reads a negative one as
        # unlimited.
        "late_most": max(0, request.late_limit),
        "late_busy": list(request.late_busy),
    }
    rows = connection.execute(CLAIM, taken).all()
    due, held = connection.execute(_NEXT, {"now": request.now, "horizon": request.horizon}).one()
    return Claim(read_posts(connection, rows), _next_moment(request, due, held))


def _due(when: ColumnElement[bool], busy: str, most: str) -> Select[tuple[UUID]]:
    return (
        select(posts.c.id)
        .where(is_one_of(posts.c.status, sources(Event.BEGIN)), when)
        .where(_FREE, _not_in(posts.c.connection_id, busy))
        .order_by(posts.c.scheduled_at)
        .limit(bindparam(most))
        .with_for_update(skip_locked=True)
    )


def _unresolved() -> Select[tuple[UUID]]:
    """Return a query for posts of any status with a lost response: even a deleted one may be live."""
    return (
        select(posts.c.id)
        .join(attempts, attempts.c.post_id == posts.c.id)
        .where(attempts.c.finished_at.is_(None), _FREE, is_here(posts.c.account_id))
        .limit(bindparam("most"))
        .with_for_update(of=posts, skip_locked=True)
    )


def _not_in(column: ColumnElement[UUID], name: str) -> ColumnElement[bool]:
    return column.not_in(bindparam(name, expanding=True, type_=column.type))


_TAKEN_STATUS = case(
    (
        is_one_of(posts.c.status, sources(Event.DUE)) & (posts.c.scheduled_at <= _NOW),
        target(Event.DUE).value,
    ),
    else_=posts.c.status,
)

# The subqueries are common table expressions so that PostgreSQL runs each once, whatever its plan.
_LATE_BEFORE = bindparam("late_before", type_=posts.c.scheduled_at.type)
_HORIZON = bindparam("horizon", type_=posts.c.scheduled_at.type)
_due_ids = _due(posts.c.scheduled_at.between(_LATE_BEFORE, _HORIZON), "busy", "most").cte("due")
# Separate, so a backlog of missed posts never delays posts that are due now.
_late_ids = _due(posts.c.scheduled_at < _LATE_BEFORE, "late_busy", "late_most").cte("late")
_unresolved_ids = _unresolved().cte("unresolved")
CLAIM = (
    update(posts)
    .where(posts.c.id.in_(union(*(select(ids.c.id) for ids in (_due_ids, _late_ids, _unresolved_ids)))))
    # Only here, because the list may be long and is sent once per use.
    .where(_not_in(posts.c.id, "carried"))
    .values(
        claimed_by=bindparam("owner", type_=posts.c.id.type),
        claimed_until=bindparam("lease_until", type_=posts.c.claimed_until.type),
        status=_TAKEN_STATUS,
    )
    .returning(*posts.c)
)

_MOMENTS = (
    select(func.min(posts.c.scheduled_at))
    .where(is_one_of(posts.c.status, [PostStatus.SCHEDULED]), posts.c.scheduled_at > _HORIZON)
    .scalar_subquery(),
    select(func.min(posts.c.claimed_until)).where(posts.c.claimed_until > _NOW).scalar_subquery(),
)
_NEXT = select(*_MOMENTS)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST = select(
    select(func.min(posts.c.scheduled_at))
    .where(is_one_of(posts.c.status, sources(Event.BEGIN)))
    .scalar_subquery(),
    exists().where(attempts.c.finished_at.is_(None)),
)
_LOOK = select(
    exists().where(is_one_of(posts.c.status, sources(Event.BEGIN)), posts.c.scheduled_at <= _HORIZON, _FREE),
    exists().where(
        attempts.c.post_id == posts.c.id,
        attempts.c.finished_at.is_(None),
        _FREE,
        is_here(posts.c.account_id),
    ),
    *_MOMENTS,
    ANYTHING_PAUSED,
)


def _next_moment(request: Request, due: datetime | None, held: datetime | None) -> datetime | None:
    # A post may be claimed from the horizon on. Waiting half of it lets more posts share a claim.
    taken = due - (request.horizon - request.now) / 2 if due else None
    return min((moment for moment in (taken, held) if moment), default=None)


def read_posts(connection: Connection, rows: Sequence[Row[Any]]) -> list[ClaimedPost]:
    """Convert rows of ``posts`` to posts with their accounts and attempts, earliest first."""
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
                code=row.platform_code,
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
        is_set_to_by_hand=row.by_hand,
        attempts=history,
    )


def release(connection: Connection, post_id: UUID, owner: UUID, *, until: datetime | None = None) -> None:
    """Release a claim that ``owner`` still holds; the post can't be claimed again before ``until``."""
    connection.execute(_RELEASE, {"post": post_id, "owner": owner, "until": until})


_RELEASE = (
    update(posts)
    .where(posts.c.id == bindparam("post"), posts.c.claimed_by == bindparam("owner"))
    .values(claimed_by=None, claimed_until=bindparam("until"))
)


def release_all(connection: Connection, owner: UUID) -> None:
    """Release every claim of ``owner``."""
    connection.execute(
        update(posts).where(posts.c.claimed_by == owner).values(claimed_by=None, claimed_until=None)
    )


def release_others(connection: Connection, owner: UUID, kept: Collection[UUID]) -> None:
    """Release every claim of ``owner`` except those on ``kept``.

    Skips rows that are being changed, perhaps by a lost session that keeps its locks for long.
    """
    connection.execute(_RELEASE_OTHERS, {"owner": owner, "kept": list(kept)})


_others = (
    select(posts.c.id)
    .where(posts.c.claimed_by == bindparam("owner"), posts.c.claimed_until.is_not(None))
    .where(_not_in(posts.c.id, "kept"))
    .with_for_update(skip_locked=True)
)
_RELEASE_OTHERS = update(posts).where(posts.c.id.in_(_others)).values(claimed_by=None, claimed_until=None)


def release_connection(connection: Connection, connection_id: UUID) -> None:
    """End the waits of a connection's posts, because the reason for waiting may be gone."""
    waiting = posts.c.connection_id == connection_id, posts.c.claimed_by.is_(None)
    due = is_one_of(posts.c.status, sources(Event.BEGIN))
    connection.execute(
        update(posts).where(*waiting, due, posts.c.claimed_until.is_not(None)).values(claimed_until=None)
    )


def renew(
    connection: Connection, owner: UUID, ids: Collection[UUID], lease_until: datetime
) -> frozenset[UUID]:
    """Renew the claims on posts in progress; return the ids of those that were still ours.

    Skips rows that are being changed, because two transactions that change several rows each could deadlock.
    A claim outlasts several renewals, so the next one is early enough.
    """
    ours = select(posts.c.id).where(posts.c.claimed_by == owner, posts.c.id.in_(ids))
    held = connection.scalars(
        update(posts)
        .where(posts.c.id.in_(ours.with_for_update(skip_locked=True)))
        .values(claimed_until=lease_until)
        .returning(posts.c.id)
    )
    return frozenset(held)


class OfPost(Protocol):
    """Something about a claimed post, such as the beginning or the ending of an attempt."""

    @property
    def post(self) -> ClaimedPost: ...


def lock(connection: Connection, items: Sequence[OfPost]) -> list[bool]:
    """Lock the posts of these items, without waiting; return for each whether its post is locked now.

    It isn't if another session has locked it, or if it was deleted.
    """
    ids = [item.post.id for item in items]
    locked = set(connection.scalars(_LOCK, {"ids": ids}))
    return [post_id in locked for post_id in ids]


_LOCK = (
    select(posts.c.id)
    .where(posts.c.id.in_(bindparam("ids", expanding=True, type_=posts.c.id.type)))
    .with_for_update(skip_locked=True, key_share=True)  # their attempts and steps may be inserted meanwhile
)
