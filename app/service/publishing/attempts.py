"""Beginning an attempt before its irreversible call, and writing down what became of it: the SQL.

Each function is one transaction: post, attempts and content record change together or not at all.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, insert, select, update

from app.contract.companion import AttemptOutcome
from app.service.publishing import advice
from app.service.publishing.advice import Explanation
from app.service.publishing.claims import release
from app.service.publishing.history import Attempt, ClaimedPost, Step
from app.service.publishing.outcome import (
    Absent,
    Adopted,
    AttemptRuling,
    Contested,
    Failed,
    Found,
    LookAgain,
    Posted,
    Retry,
    Unknown,
)
from app.service.publishing.states import Event, sources, target
from app.service.store.tables import attempts, contents, posts


def begin(
    connection: Connection,
    post: ClaimedPost,
    owner: UUID,
    attempt: Attempt,
    lease_until: datetime,
) -> bool:
    """Makes the post ``processing`` and writes the attempt; False when the post was taken back or moved.

    Once this is committed the call may be made: whoever finds the attempt pending must ask the platform.
    """
    begun = connection.execute(
        update(posts)
        .where(posts.c.id == post.id, posts.c.claimed_by == owner)
        .where(posts.c.status.in_(sources(Event.BEGIN)), posts.c.scheduled_at <= attempt.started_at)
        .values(status=target(Event.BEGIN).value, claimed_until=lease_until)
    )
    if begun.rowcount:
        _write(connection, post, attempt)
    return bool(begun.rowcount)


def new_attempt(step: Step, now: datetime) -> Attempt:
    """An attempt that is about to begin."""
    return Attempt(uuid4(), step, AttemptOutcome.PENDING, now, None, None, None)


def note(connection: Connection, post: ClaimedPost, attempt: Attempt) -> None:
    """Writes an attempt that ended before any call, so that the post's history tells of it."""
    _write(connection, post, attempt)


def settle(
    connection: Connection,
    post: ClaimedPost,
    owner: UUID,
    attempt: Attempt,
    ruling: AttemptRuling,
    now: datetime,
) -> None:
    """Writes down what became of an attempt, and what it means for the post."""
    match ruling:
        case Posted(content_id):
            _publish(connection, post, attempt, content_id, now)
            release(connection, post.id, owner)
        case Adopted(content_id, why):
            _adopt(connection, post, owner, attempt, content_id, why, now)
        case Failed(why, outcome):
            _close(connection, [attempt], outcome, why, now)
            _fail(connection, post, owner, why, now)
        case Retry(at, why):
            _close(connection, [attempt], AttemptOutcome.TRANSIENT, why, now)
            release(connection, post.id, owner, until=at)
        case Unknown(at, why):
            _lose(connection, attempt, why, now)
            release(connection, post.id, owner, until=at)
        case Contested(at, why):
            _close(connection, [attempt], AttemptOutcome.REFUSED, why, now)
            _reopen(connection, post.lost_attempts)
            release(connection, post.id, owner, until=at)


def note_loss(connection: Connection, post: ClaimedPost, owner: UUID, now: datetime, at: datetime) -> None:
    """Writes down that a program died during a call; the first look is at ``at``."""
    why = Explanation(None, None, advice.INTERRUPTED)
    for attempt in post.open_attempts:
        if attempt.unknown_since is None:
            _lose(connection, attempt, why, now)
    release(connection, post.id, owner, until=at)


def settle_look(
    connection: Connection,
    post: ClaimedPost,
    owner: UUID,
    ruling: Found | Absent | LookAgain | Failed,
    now: datetime,
) -> None:
    """Writes down what a look on the platform told."""
    match ruling:
        case Found(content_id):
            _own_up(connection, post, content_id, now)
            release(connection, post.id, owner)
        case Absent():
            _close(connection, post.open_attempts, AttemptOutcome.TRANSIENT, _nothing(post), now)
            release(connection, post.id, owner)
        case LookAgain(at, absent_since):
            _see_absent(connection, post, absent_since)
            release(connection, post.id, owner, until=at)
        case Failed(why):
            _fail(connection, post, owner, why, now)


def known_contents(connection: Connection, connection_id: UUID, since: datetime) -> frozenset[str]:
    """Items of an account that are accounted for already."""
    recorded = select(contents.c.content_id).where(
        contents.c.connection_id == connection_id, contents.c.created_at >= since
    )
    return frozenset(connection.scalars(recorded))


def _write(connection: Connection, post: ClaimedPost, attempt: Attempt) -> None:
    connection.execute(
        insert(attempts).values(
            id=attempt.id,
            post_id=post.id,
            account_id=post.account_id,
            step=attempt.step,
            outcome=attempt.outcome.value,
            started_at=attempt.started_at,
        )
    )


def _publish(
    connection: Connection,
    post: ClaimedPost,
    attempt: Attempt,
    content_id: str,
    now: datetime,
    *,
    posted_at: datetime | None = None,
) -> None:
    """Truth wins: whatever the post's row says by now, even when it is gone, it is live."""
    if not _is_recorded(connection, post, content_id):
        _record(connection, post, content_id, now)
    connection.execute(
        update(posts)
        .where(posts.c.id == post.id)
        .values(status=target(Event.PUBLISH).value, posted_at=posted_at or now)
    )
    connection.execute(
        update(attempts)
        .where(attempts.c.id == attempt.id)
        .values(
            outcome=AttemptOutcome.PUBLISHED.value,
            finished_at=now,
            content_id=content_id,
            platform_code=None,
            platform_message=None,
            advice=None,
        )
    )
    others = [other for other in post.open_attempts if other.id != attempt.id]
    _close(connection, others, AttemptOutcome.TRANSIENT, _nothing(post), now)


def _own_up(connection: Connection, post: ClaimedPost, content_id: str, now: datetime) -> None:
    """The oldest lost call published this item, unless another post took it just now."""
    if not _is_taken(connection, post, content_id):
        first = post.lost_attempts[0]
        _publish(connection, post, first, content_id, now, posted_at=first.started_at)


def _see_absent(connection: Connection, post: ClaimedPost, since: datetime | None) -> None:
    connection.execute(
        update(attempts)
        .where(_among(post.open_attempts), attempts.c.finished_at.is_(None))
        .values(absent_since=since)
    )


def _adopt(
    connection: Connection,
    post: ClaimedPost,
    owner: UUID,
    attempt: Attempt,
    content_id: str,
    why: Explanation,
    now: datetime,
) -> None:
    _close(connection, [attempt], AttemptOutcome.REFUSED, why, now)
    if _is_taken(connection, post, content_id):
        _close(connection, post.open_attempts, AttemptOutcome.TRANSIENT, _nothing(post), now)
        _fail(connection, post, owner, why, now)
        return
    _own_up(connection, post, content_id, now)
    release(connection, post.id, owner)


def _nothing(post: ClaimedPost) -> Explanation:
    return Explanation(None, None, advice.absent(post.platform))


def _fail(connection: Connection, post: ClaimedPost, owner: UUID, why: Explanation, now: datetime) -> None:
    """Ends the post where it still waits and is ours; a cancelled one stays cancelled."""
    _close(connection, post.open_attempts, AttemptOutcome.UNKNOWN, why, now)
    connection.execute(
        update(posts)
        .where(posts.c.id == post.id, posts.c.claimed_by == owner)
        .where(posts.c.status.in_(sources(Event.FAIL)))
        .values(status=target(Event.FAIL).value)
    )
    release(connection, post.id, owner)


def _close(
    connection: Connection,
    which: Iterable[Attempt],
    outcome: AttemptOutcome,
    why: Explanation,
    now: datetime,
) -> None:
    connection.execute(
        update(attempts)
        .where(_among(which), attempts.c.finished_at.is_(None))
        .values(outcome=outcome.value, finished_at=now, **_words(why))
    )


def _lose(connection: Connection, attempt: Attempt, why: Explanation, now: datetime) -> None:
    connection.execute(
        update(attempts)
        .where(attempts.c.id == attempt.id, attempts.c.finished_at.is_(None))
        .values(outcome=AttemptOutcome.UNKNOWN.value, unknown_since=now, **_words(why))
    )


def _reopen(connection: Connection, lost: Iterable[Attempt]) -> None:
    connection.execute(
        update(attempts)
        .where(_among(lost))
        .values(outcome=AttemptOutcome.UNKNOWN.value, finished_at=None, absent_since=None)
    )


def _among(which: Iterable[Attempt]) -> Any:
    return attempts.c.id.in_([attempt.id for attempt in which])


def _words(why: Explanation) -> dict[str, str | None]:
    """Without words of the platform's own, those that it said before stay."""
    said = {"platform_code": why.code, "platform_message": why.message} if why.code or why.message else {}
    return {**said, "advice": why.advice}


def _is_recorded(connection: Connection, post: ClaimedPost, content_id: str) -> bool:
    return connection.scalar(_owner_of(post, content_id).exists().select()) or False


def _is_taken(connection: Connection, post: ClaimedPost, content_id: str) -> bool:
    """Whether the item belongs to another post, or to none of ours."""
    owners = connection.scalars(_owner_of(post, content_id)).all()
    return any(owner != post.id for owner in owners)


def _owner_of(post: ClaimedPost, content_id: str) -> Any:
    return select(contents.c.post_id).where(
        contents.c.connection_id == post.connection_id, contents.c.content_id == content_id
    )


def _record(connection: Connection, post: ClaimedPost, content_id: str, now: datetime) -> None:
    connection.execute(
        insert(contents).values(
            id=uuid4(),
            account_id=post.account_id,
            connection_id=post.connection_id,
            platform=post.platform.value,
            content_id=content_id,
            post_id=post.id,
            title=post.title,
            description=post.description,
            media_type=post.post_type.value,
            status="published",
            batch_id=post.batch_id,
            created_via=post.created_via.value,
            created_at=now,
        )
    )
