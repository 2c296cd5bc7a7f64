"""SQL for the outcomes of calls and looks, and for posts that the user publishes by hand.

Each function runs in one transaction: post, attempts and content record change together or not at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from app.contract.changes import ChangeKind
from app.contract.companion import AnyPost, AttemptOutcome
from app.contract.enums import ErrorCode, EventType, PostStatus
from app.contract.errors import ValidationIssue
from app.contract.posts import Post
from app.contract.webhooks import PostFailedData
from app.database import DatabaseBusyError, is_one_of
from app.platforms.advice import HANDED_OVER, INTERRUPTED
from app.platforms.base import Published
from app.platforms.by_hand import BY_HAND_KEYS
from app.service.api.responses import ApiError
from app.service.posts.rows import find_post
from app.service.publishing import advice, attempts, live
from app.service.publishing.advice import Explanation
from app.service.publishing.attempts import Beginning
from app.service.publishing.claims import read_posts, release
from app.service.publishing.history import Attempt, ClaimedPost, Event, Step, sources, target
from app.service.publishing.outcome import (
    Absent,
    Adopted,
    AttemptRuling,
    Contested,
    Failed,
    Found,
    InInbox,
    LookAgain,
    Posted,
    Retry,
    Unknown,
    Waiting,
)
from app.service.store.reach import Reach
from app.service.store.tables import attempts as attempt_rows
from app.service.store.tables import changes, contents, posts
from app.service.webhooks.events import record


@dataclass(frozen=True, slots=True)
class Ending:
    """The outcome of one attempt."""

    post: ClaimedPost
    attempt: Attempt
    ruling: AttemptRuling
    at: datetime


def end_without_call(connection: Connection, owner: UUID, ending: Ending) -> bool:
    """Record an attempt that never called the platform, so the post's history explains the failure.

    False if the post is no longer ours: it may have failed since, and the last attempt says why.
    """
    if _is_claimed_by_other(connection, ending.post, owner):
        return False
    attempts.write(connection, [Beginning(ending.post, ending.attempt)])
    end(connection, owner, [ending])
    return True


def end(connection: Connection, owner: UUID, endings: Sequence[Ending]) -> None:
    """Record the outcomes of attempts and update their posts."""
    items: list[live.Item] = []
    for ending in endings:
        if isinstance(ending.ruling, Posted):
            items.append(live.Item(ending.post, ending.attempt, ending.ruling.item, ending.at, ending.at))
        else:
            _settle(connection, owner, ending.post, ending.attempt, ending.ruling, ending.at)
    live.publish(connection, items)


def _settle(
    connection: Connection,
    owner: UUID,
    post: ClaimedPost,
    attempt: Attempt,
    ruling: InInbox | Adopted | Failed | Retry | Waiting | Unknown | Contested,
    now: datetime,
) -> None:
    match ruling:
        case InInbox(at):
            _deliver(connection, post, owner, attempt, at, now)
        case Adopted(item, why):
            _adopt(connection, post, owner, attempt, item, why, now)
        case Failed(why, outcome):
            attempts.close(connection, [attempt], outcome, why, now)
            _fail(connection, post, owner, why, now)
        case Retry(at, why):
            attempts.close(connection, [attempt], AttemptOutcome.TRANSIENT, why, now)
            release(connection, post.id, owner, until=at)
        case Waiting(at, why):
            attempts.close(connection, [attempt], AttemptOutcome.REFUSED, why, now)
            release(connection, post.id, owner, until=at)
        case Unknown(at, why):
            attempts.lose(connection, attempt, why, now)
            release(connection, post.id, owner, until=at)
        case Contested(at, why):
            attempts.close(connection, [attempt], AttemptOutcome.REFUSED, why, now)
            if not _is_claimed_by_other(connection, post, owner):
                attempts.reopen(connection, post.lost_attempts)
                release(connection, post.id, owner, until=at)


_PAUSE: Final = timedelta(seconds=1)
"""How long a post whose attempt couldn't be stored waits for the next one."""


def call_off(connection: Connection, post: ClaimedPost, owner: UUID, attempt: Attempt, now: datetime) -> None:
    """Close an attempt that made no call, if it was stored after all, and release its post.

    It can be claimed again after a pause, or an error that lasts would become a loop. Raises
    DatabaseBusyError if the transaction of the attempt may still be in progress.
    """
    # Its transaction may still be about to commit, and until then nobody sees the attempt. But it has locked
    # the post, perhaps for long if its session lost this process.
    which = {"post": post.id}
    if connection.scalar(_UNLOCKED, which) is None and connection.scalar(_ANY, which) is not None:
        raise DatabaseBusyError("Another session is changing the post.")
    attempts.close(connection, [attempt], AttemptOutcome.TRANSIENT, advice.not_stored(post.platform), now)
    release(connection, post.id, owner, until=now + _PAUSE)


def note_loss(connection: Connection, post: ClaimedPost, owner: UUID, now: datetime, at: datetime) -> None:
    """Record that a process died during a call; the first look is at ``at``."""
    why = Explanation(None, None, INTERRUPTED)
    for attempt in post.open_attempts:
        if attempt.unknown_since is None:
            attempts.lose(connection, attempt, why, now)
    release(connection, post.id, owner, until=at)


def settle_look(
    connection: Connection,
    post: ClaimedPost,
    owner: UUID,
    ruling: Found | InInbox | Absent | LookAgain | Failed,
    now: datetime,
) -> None:
    """Record the result of a look on the platform."""
    match ruling:
        case Found(item):
            _credit(connection, post, item, now)
            release(connection, post.id, owner)
        case InInbox(at):
            _deliver(connection, post, owner, post.open_attempts[0], at, now)
        case Absent():
            attempts.close(
                connection, post.open_attempts, AttemptOutcome.TRANSIENT, advice.absent(post.platform), now
            )
            release(connection, post.id, owner)
        case LookAgain(at):
            release(connection, post.id, owner, until=at)
        case Failed(why):
            _fail(connection, post, owner, why, now)


def _deliver(
    connection: Connection, post: ClaimedPost, owner: UUID, attempt: Attempt, at: datetime, now: datetime
) -> None:
    """Record that an attempt put the item into the user's inbox; the next question about it is at ``at``."""
    attempts.deliver(connection, attempt, advice.in_inbox(post.platform), now)
    why = advice.published_by_another()
    others = [one for one in post.open_attempts if one.id != attempt.id]
    attempts.close(connection, others, AttemptOutcome.TRANSIENT, why, now)
    release(connection, post.id, owner, until=at)
    connection.execute(_SHOWN, {"account": post.account_id, "post": str(post.id), "now": now})


_SHOWN: Final = insert(changes).values(
    account_id=bindparam("account"),
    kind=ChangeKind.POST.value,
    subject=bindparam("post"),
    created_at=bindparam("now"),
)
"""Notifies the app, because no column of the post changes when it reaches the inbox."""


def finish_inbox(
    connection: Connection, post: ClaimedPost, attempt: Attempt, item: Published, now: datetime
) -> None:
    """Record that the user has published a post that an attempt put into their inbox."""
    live.publish(connection, [live.Item(post, attempt, item, now, now)])


def _credit(connection: Connection, post: ClaimedPost, item: Published, now: datetime) -> None:
    """Credit the oldest call with an unknown outcome with this item, unless another post took it meanwhile.

    Calls that were proven to have published nothing only count if there's no other.
    """
    if not live.is_taken(connection, post, item.content_id):
        first = (post.open_attempts or post.lost_attempts)[0]
        live.publish(connection, [live.Item(post, first, item, first.started_at, now)])


def _adopt(
    connection: Connection,
    post: ClaimedPost,
    owner: UUID,
    attempt: Attempt,
    item: Published,
    why: Explanation,
    now: datetime,
) -> None:
    if live.is_taken(connection, post, item.content_id):
        attempts.close(connection, [attempt], AttemptOutcome.REFUSED, why, now)
        if _is_claimed_by_other(connection, post, owner):
            return
        attempts.close(
            connection, post.open_attempts, AttemptOutcome.TRANSIENT, advice.absent(post.platform), now
        )
        _fail(connection, post, owner, why, now)
        return
    attempts.close(connection, [attempt], AttemptOutcome.REFUSED, advice.copied(why, post.platform), now)
    _credit(connection, post, item, now)
    release(connection, post.id, owner)


def _fail(connection: Connection, post: ClaimedPost, owner: UUID, why: Explanation, now: datetime) -> None:
    """Fail the post if it is still pending and ours; a cancelled post stays cancelled."""
    if _is_claimed_by_other(connection, post, owner):
        return
    attempts.close(connection, post.open_attempts, AttemptOutcome.UNKNOWN, why, now)
    failed = connection.execute(_FAIL, {"post": post.id, "owner": owner})
    if failed.rowcount:
        record(connection, post.account_id, EventType.POST_FAILED, _failure(post, why), now)
    release(connection, post.id, owner)


def _is_claimed_by_other(connection: Connection, post: ClaimedPost, owner: UUID) -> bool:
    """Whether we don't own the post any more; locks the row for the rest of the transaction.

    The lost attempts then belong to the other engine, too: if we closed them, it would send the post without
    looking, and it may have found out their outcome.
    """
    holder = connection.execute(_HOLDER, {"post": post.id}).one_or_none()
    return holder is not None and holder.claimed_by != owner


_FAIL: Final = (
    update(posts)
    .where(posts.c.id == bindparam("post"), posts.c.claimed_by == bindparam("owner"))
    .where(is_one_of(posts.c.status, sources(Event.FAIL)))
    .values(status=target(Event.FAIL).value)
)
_HOLDER: Final = select(posts.c.claimed_by).where(posts.c.id == bindparam("post")).with_for_update()
_ANY: Final = select(posts.c.id).where(posts.c.id == bindparam("post"))
_UNLOCKED: Final = _ANY.with_for_update(skip_locked=True)


def _failure(post: ClaimedPost, why: Explanation) -> PostFailedData:
    return PostFailedData(
        post_id=post.id,
        platform=post.platform,
        social_account_id=post.connection_id,
        batch_id=post.batch_id,
        reason=advice.in_words(why, post.platform),
    )


# At its time such a post becomes ``processing``, with an attempt that ends as ``handed_over``. The user
# then reports that it's live, moves it, or cancels it. After the limit, it fails. No attempt stays open: no
# response is lost, and nothing has to be looked up.
UNDONE_WITHIN: Final = timedelta(minutes=10)
"""How long the user can undo reporting a post as live."""

_FINISHABLE: Final = frozenset({*sources(Event.FAIL), PostStatus.FAILED})
_WHY: Final = Explanation(None, None, HANDED_OVER)


def hand_over(connection: Connection, post: ClaimedPost, owner: UUID, now: datetime, until: datetime) -> None:
    """Ask the user to publish a claimed post by ``until``, unless it was cancelled or moved."""
    attempt = attempts.new_attempt(Step.HAND_OVER, now)
    begun = attempts.begin(
        connection,
        owner,
        [Beginning(post, attempt)],
        earliest=post.scheduled_at,
        latest=post.scheduled_at,
        lease_until=until,
    )
    if begun:
        attempts.close(connection, [attempt], AttemptOutcome.HANDED_OVER, _WHY, now)
        release(connection, post.id, owner, until=until)


def finish(
    connection: Connection,
    account_id: UUID,
    post_id: UUID,
    url: str | None,
    now: datetime,
    reach: Reach = Reach.COMPANION,
) -> Post:
    """Record that the user has published a post, also before its time or after it failed.

    ``url`` is the page of the published post, if the user gave it. Raises ApiError: 404 if the account has no
    such post, 400 if its platform is published to by Kalends, and if it's live or cancelled.
    """
    _own_post(connection, account_id, post_id, reach)
    rows = connection.execute(select(posts).where(posts.c.id == post_id).with_for_update()).all()
    [claimed] = read_posts(connection, rows)
    if claimed.status not in _FINISHABLE:
        is_live = claimed.status is PostStatus.POSTED
        raise _refused("This post was published already." if is_live else "This post is cancelled.")
    attempt = next((one for one in reversed(claimed.attempts) if one.step == Step.HAND_OVER), None)
    # A refusal at the limit stays in the history; the report is an attempt of its own.
    if attempt is None or attempt.outcome is not AttemptOutcome.HANDED_OVER or not claimed.is_handed_over:
        attempt = attempts.new_attempt(Step.HAND_OVER, now)
        attempts.write(connection, [Beginning(claimed, attempt)])
    item = Published(_content_id(post_id), url)
    live.publish(connection, [live.Item(replace(claimed, attempts=()), attempt, item, now, now)])
    return find_post(connection, account_id, post_id, reach)


def take_back(
    connection: Connection, account_id: UUID, post_id: UUID, now: datetime, reach: Reach = Reach.COMPANION
) -> Post:
    """Undo ``finish``: the post waits again, for its time or for the user.

    Raises ApiError: 404 if the account has no such post, 400 if it wasn't finished within the last minutes.
    """
    post = _own_post(connection, account_id, post_id, reach)
    status = target(Event.BEGIN) if post.scheduled_at <= now else PostStatus.SCHEDULED
    undone = connection.execute(
        update(posts)
        .where(posts.c.id == post_id, is_one_of(posts.c.status, [PostStatus.POSTED]))
        .where(posts.c.posted_at > now - UNDONE_WITHIN)
        .values(status=status.value, posted_at=None)
    )
    if not undone.rowcount:
        raise _refused("Only what was marked as done within the last ten minutes can be taken back.")
    connection.execute(
        delete(contents).where(contents.c.post_id == post_id, contents.c.content_id == _content_id(post_id))
    )
    connection.execute(
        update(attempt_rows)
        .where(attempt_rows.c.post_id == post_id, attempt_rows.c.content_id == _content_id(post_id))
        .values(outcome=AttemptOutcome.HANDED_OVER.value, content_id=None, advice=HANDED_OVER)
    )
    return find_post(connection, account_id, post_id, reach)


def _content_id(post_id: UUID) -> str:
    """Return the item's ID in the history: the user doesn't know the platform's own ID."""
    return f"by-hand:{post_id}"


def _own_post(connection: Connection, account_id: UUID, post_id: UUID, reach: Reach) -> Post:
    post = find_post(connection, account_id, post_id, reach)
    if post.platform not in BY_HAND_KEYS and not (isinstance(post, AnyPost) and post.by_hand):
        raise _refused("Kalends publishes this post.")
    return post


def _refused(reason: str) -> ApiError:
    issue = ValidationIssue(field="post_id", message=reason, type="not_finishable")
    return ApiError(ErrorCode.VALIDATION_ERROR, reason, [issue])
