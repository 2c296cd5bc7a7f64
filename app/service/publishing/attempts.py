"""SQL for ``attempts``: written before the irreversible call, closed once its outcome is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import Connection, String, bindparam, case, cast, delete, insert, select, update

from app.contract.companion import AttemptOutcome
from app.database import is_one_of
from app.service.publishing.advice import Explanation
from app.service.publishing.claims import release
from app.service.publishing.history import Attempt, ClaimedPost, Event, Step, sources, target
from app.service.publishing.pauses import is_paused
from app.service.store.tables import attempts, connections, posts, publication_steps

_IS_CONNECTED = (
    select(connections.c.id)
    .where(connections.c.id == posts.c.connection_id, connections.c.is_available)
    .exists()
)
# Built once: building these statements takes as long as running them.
_BEGIN = (
    update(posts)
    .where(posts.c.id.in_(bindparam("ids", expanding=True, type_=posts.c.id.type)))
    .where(posts.c.claimed_by == bindparam("owner"))
    .where(posts.c.scheduled_at.between(bindparam("earliest"), bindparam("latest")))
    .where(is_one_of(posts.c.status, sources(Event.BEGIN)), _IS_CONNECTED, ~is_paused())
    .values(status=target(Event.BEGIN).value, claimed_until=bindparam("lease_until"))
    .returning(posts.c.id)
)
_BEGIN_AGAIN = (
    update(posts)
    .where(posts.c.id.in_(bindparam("ids", expanding=True, type_=posts.c.id.type)))
    .values(
        status=case(
            (is_one_of(posts.c.status, sources(Event.BEGIN)), target(Event.BEGIN).value), else_=posts.c.status
        ),
        claimed_by=bindparam("owner"),
        claimed_until=bindparam("lease_until"),
    )
    .returning(posts.c.id)
)
_STORED = select(attempts.c.id).where(
    attempts.c.id.in_(bindparam("ids", expanding=True, type_=attempts.c.id.type))
)
_WRITE = insert(attempts)
_MARK = insert(publication_steps)
_FORGET_MARKS = delete(publication_steps).where(
    publication_steps.c.name.in_(
        select(cast(attempts.c.id, String)).where(
            attempts.c.finished_at.is_(None), attempts.c.post_id == publication_steps.c.post_id
        )
    )
)
_CHANGE = update(attempts).where(
    attempts.c.id.in_(bindparam("ids", expanding=True, type_=attempts.c.id.type))
)
_CHANGE_OPEN = _CHANGE.where(attempts.c.finished_at.is_(None))


@dataclass(frozen=True, slots=True)
class Beginning:
    """An attempt that is about to call the platform, its post, and the step that marks it, if any."""

    post: ClaimedPost
    attempt: Attempt
    mark: Mapping[str, object] | None = None


def new_attempt(step: Step, now: datetime) -> Attempt:
    """Return a new pending attempt, not yet written."""
    return Attempt(uuid4(), step, AttemptOutcome.PENDING, now, None, None)


def begin(
    connection: Connection,
    owner: UUID,
    beginnings: Sequence[Beginning],
    *,
    earliest: datetime,
    latest: datetime,
    lease_until: datetime,
) -> set[UUID]:
    """Mark posts ``processing`` and write their attempts; return the ids of posts that were still ours.

    Releases posts due before ``earliest``, which are too late to publish, posts due after ``latest``, which
    were rescheduled, paused posts, and those of disconnected accounts, whose token this process may still
    remember. Once this is committed, the calls may be made: a worker that finds an
    attempt pending must ask the platform.
    """
    which = {
        "ids": [beginning.post.id for beginning in beginnings],
        "owner": owner,
        "earliest": earliest,
        "latest": latest,
        "lease_until": lease_until,
    }
    begun = set(connection.scalars(_BEGIN, which))
    write(connection, [beginning for beginning in beginnings if beginning.post.id in begun])
    for beginning in beginnings:
        if beginning.post.id not in begun:
            release(connection, beginning.post.id, owner)
    return begun


def begin_again(
    connection: Connection, owner: UUID, beginnings: Sequence[Beginning], lease_until: datetime
) -> None:
    """Claim the posts of calls in progress again, and write attempts that were lost, unless a post is gone.

    Takes over the claims of others, who can't know of a call whose attempt was lost. Writes no marks: steps
    may be lost, too.
    """
    if not beginnings:
        return
    which = {"ids": [one.post.id for one in beginnings], "owner": owner, "lease_until": lease_until}
    there = set(connection.scalars(_BEGIN_AGAIN, which))
    stored = set(connection.scalars(_STORED, {"ids": [one.attempt.id for one in beginnings]}))
    lost = [one for one in beginnings if one.attempt.id not in stored and one.post.id in there]
    write(connection, [replace(one, mark=None) for one in lost])


def forget_marks(connection: Connection) -> None:
    """Delete the marks of all open attempts: steps that were stored after them may be lost."""
    connection.execute(_FORGET_MARKS)


def write(connection: Connection, beginnings: Sequence[Beginning]) -> None:
    rows = [
        {
            "id": beginning.attempt.id,
            "post_id": beginning.post.id,
            "account_id": beginning.post.account_id,
            "step": beginning.attempt.step,
            "outcome": beginning.attempt.outcome.value,
            "started_at": beginning.attempt.started_at,
        }
        for beginning in beginnings
    ]
    if rows:
        connection.execute(_WRITE, rows)
    if marks := [beginning.mark for beginning in beginnings if beginning.mark]:
        connection.execute(_MARK, marks)


def close(
    connection: Connection,
    which: Sequence[Attempt],
    outcome: AttemptOutcome,
    why: Explanation,
    now: datetime,
) -> None:
    if which:
        closed = {"outcome": outcome.value, "finished_at": now, **_words(why)}
        connection.execute(_CHANGE_OPEN, {"ids": _ids(which), **closed})


def lose(connection: Connection, attempt: Attempt, why: Explanation, now: datetime) -> None:
    lost = {"outcome": AttemptOutcome.UNKNOWN.value, "unknown_since": now, **_words(why)}
    connection.execute(_CHANGE_OPEN, {"ids": [attempt.id], **lost})


def deliver(connection: Connection, attempt: Attempt, why: Explanation, now: datetime) -> None:
    """Record that an attempt put the item into the user's inbox."""
    handed = {"step": Step.HAND_OVER, "outcome": AttemptOutcome.IN_INBOX.value, "finished_at": now}
    words = {"platform_code": None, "platform_message": None, "advice": why.advice}
    connection.execute(_CHANGE_OPEN, {"ids": [attempt.id], **handed, **words})


def reopen(connection: Connection, lost: Sequence[Attempt]) -> None:
    opened = {"outcome": AttemptOutcome.UNKNOWN.value, "finished_at": None}
    connection.execute(_CHANGE, {"ids": _ids(lost), **opened})


def _ids(which: Sequence[Attempt]) -> list[UUID]:
    return [attempt.id for attempt in which]


def _words(why: Explanation) -> dict[str, str | None]:
    """Columns for an explanation; an earlier platform message stays if ``why`` has none."""
    said = {"platform_code": why.code, "platform_message": why.message} if why.code or why.message else {}
    return {**said, "advice": why.advice}
