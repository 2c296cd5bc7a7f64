"""Beginning attempts before their irreversible calls, and writing down what became of them: the SQL.

Each function runs in one transaction: post, attempts and content record change together or not at all.
Those on the way of every post take many at once, since a statement costs more than a row.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, bindparam, insert, select, update

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


@dataclass(frozen=True, slots=True)
class Beginning:
    """An attempt that is about to call the platform."""

    post: ClaimedPost
    attempt: Attempt


@dataclass(frozen=True, slots=True)
class Ending:
    """What a call led to."""

    post: ClaimedPost
    attempt: Attempt
    ruling: AttemptRuling
    at: datetime


def begin(
    connection: Connection, owner: UUID, beginnings: Sequence[Beginning], now: datetime, lease_until: datetime
) -> set[UUID]:
    """Makes posts ``processing`` and writes their attempts; gives the ids of those that were still ours.

    Once this is committed the calls may be made: whoever finds an attempt pending must ask the platform.
    """
    begun = set(
        connection.scalars(
            update(posts)
            .where(posts.c.id.in_([beginning.post.id for beginning in beginnings]))
            .where(posts.c.claimed_by == owner, posts.c.scheduled_at <= now)
            .where(posts.c.status.in_(sources(Event.BEGIN)))
            .values(status=target(Event.BEGIN).value, claimed_until=lease_until)
            .returning(posts.c.id)
        )
    )
    _write(connection, [beginning for beginning in beginnings if beginning.post.id in begun])
    for beginning in beginnings:
        if beginning.post.id not in begun:
            release(connection, beginning.post.id, owner)
    return begun


def new_attempt(step: Step, now: datetime) -> Attempt:
    """An attempt that is about to begin."""
    return Attempt(uuid4(), step, AttemptOutcome.PENDING, now, None, None, None)


def end_without_call(connection: Connection, owner: UUID, ending: Ending) -> None:
    """Writes an attempt that never called the platform, so that the post's history tells why."""
    _write(connection, [Beginning(ending.post, ending.attempt)])
    end(connection, owner, [ending])


def end(connection: Connection, owner: UUID, endings: Sequence[Ending]) -> None:
    """Writes down what became of attempts, and what it means for their posts."""
    items: list[_Item] = []
    for ending in endings:
        if isinstance(ending.ruling, Posted):
            items.append(_Item(ending.post, ending.attempt, ending.ruling.content_id, ending.at, ending.at))
        else:
            _settle(connection, owner, ending.post, ending.attempt, ending.ruling, ending.at)
    _publish(connection, items)


def _settle(
    connection: Connection,
    owner: UUID,
    post: ClaimedPost,
    attempt: Attempt,
    ruling: Adopted | Failed | Retry | Unknown | Contested,
    now: datetime,
) -> None:
    match ruling:
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


def _write(connection: Connection, beginnings: Sequence[Beginning]) -> None:
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
        connection.execute(insert(attempts), rows)


@dataclass(frozen=True, slots=True)
class _Item:
    """Something that is live: which attempt put it there, when, and when we learned of it."""

    post: ClaimedPost
    attempt: Attempt
    content_id: str
    posted_at: datetime
    learned_at: datetime


def _publish(connection: Connection, items: Sequence[_Item]) -> None:
    """Truth wins: whatever a post's row says by now, even when it is gone, it is live."""
    if not items:
        return
    _record(connection, items)
    connection.execute(
        _POST_IS_LIVE, [{"live_id": item.post.id, "live_at": item.posted_at} for item in items]
    )
    connection.execute(
        _ATTEMPT_PUBLISHED,
        [
            {"live_id": item.attempt.id, "learned_at": item.learned_at, "item": item.content_id}
            for item in items
        ],
    )
    for item in items:
        others = [other for other in item.post.open_attempts if other.id != item.attempt.id]
        _close(connection, others, AttemptOutcome.TRANSIENT, _nothing(item.post), item.learned_at)


_POST_IS_LIVE = (
    update(posts)
    .where(posts.c.id == bindparam("live_id"))
    .values(
        status=target(Event.PUBLISH).value,
        posted_at=bindparam("live_at"),
        claimed_by=None,
        claimed_until=None,
    )
)
_ATTEMPT_PUBLISHED = (
    update(attempts)
    .where(attempts.c.id == bindparam("live_id"))
    .values(
        outcome=AttemptOutcome.PUBLISHED.value,
        finished_at=bindparam("learned_at"),
        content_id=bindparam("item"),
        platform_code=None,
        platform_message=None,
        advice=None,
    )
)


def _own_up(connection: Connection, post: ClaimedPost, content_id: str, now: datetime) -> None:
    """The oldest lost call published this item, unless another post took it just now."""
    if not _is_taken(connection, post, content_id):
        first = post.lost_attempts[0]
        _publish(connection, [_Item(post, first, content_id, first.started_at, now)])


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
    which: Sequence[Attempt],
    outcome: AttemptOutcome,
    why: Explanation,
    now: datetime,
) -> None:
    if not which:
        return
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


def _is_taken(connection: Connection, post: ClaimedPost, content_id: str) -> bool:
    """Whether the item belongs to another post, or to none of ours."""
    owners = connection.scalars(
        select(contents.c.post_id).where(
            contents.c.connection_id == post.connection_id, contents.c.content_id == content_id
        )
    ).all()
    return any(owner != post.id for owner in owners)


def _record(connection: Connection, items: Sequence[_Item]) -> None:
    """Adds to the content history what is not in it yet."""
    recorded = connection.execute(
        select(contents.c.connection_id, contents.c.content_id).where(
            contents.c.content_id.in_([item.content_id for item in items])
        )
    )
    seen = {(row.connection_id, row.content_id) for row in recorded}
    new = {
        (item.post.connection_id, item.content_id): _content_row(item)
        for item in items
        if (item.post.connection_id, item.content_id) not in seen
    }
    if new:
        connection.execute(insert(contents), list(new.values()))


def _content_row(item: _Item) -> dict[str, Any]:
    post = item.post
    return {
        "id": uuid4(),
        "account_id": post.account_id,
        "connection_id": post.connection_id,
        "platform": post.platform.value,
        "content_id": item.content_id,
        "post_id": post.id,
        "title": post.title,
        "description": post.description,
        "media_type": post.post_type.value,
        "status": "published",
        "batch_id": post.batch_id,
        "created_via": post.created_via.value,
        "created_at": item.learned_at,
    }
