"""SQL for posts that the user publishes by hand.

At its time such a post becomes ``processing``, with an attempt that ends as ``handed_over``. The user then
reports that it's live, moves it, or cancels it. After the limit, it fails. No attempt stays open: no response
is lost, and nothing has to be looked up.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, delete, select, update

from app.contract.companion import AttemptOutcome
from app.contract.enums import ErrorCode, PostStatus
from app.contract.errors import ValidationIssue
from app.contract.posts import Post
from app.platforms.base import Published
from app.platforms.by_hand import BY_HAND_KEYS
from app.service.api.responses import ApiError
from app.service.posts.rows import find_post
from app.service.publishing import advice, attempts, live
from app.service.publishing.advice import Explanation
from app.service.publishing.attempts import Beginning
from app.service.publishing.claims import read_posts, release
from app.service.publishing.history import ClaimedPost, Event, Step, sources, target
from app.service.store.reach import Reach
from app.service.store.tables import attempts as attempt_rows
from app.service.store.tables import contents, posts

UNDONE_WITHIN: Final = timedelta(minutes=10)
"""For how long the report that a post is live can be taken back."""

_FINISHABLE: Final = frozenset({*sources(Event.FAIL), PostStatus.FAILED})
_WHY: Final = Explanation(None, None, advice.HANDED_OVER)


def hand_over(connection: Connection, post: ClaimedPost, owner: UUID, now: datetime, until: datetime) -> None:
    """Ask the user to publish a claimed post, unless it was cancelled or moved. They have ``until`` then."""
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


def finish(connection: Connection, account_id: UUID, post_id: UUID, url: str | None, now: datetime) -> Post:
    """Record that the user has published a post, also before its time or after it failed.

    ``url`` is the page of the published post, if the user gave it. Raises ApiError: 404 if the account has no
    such post, 400 if its platform is published to by Kalends, and if it's live or cancelled.
    """
    _own_post(connection, account_id, post_id)
    rows = connection.execute(select(posts).where(posts.c.id == post_id).with_for_update()).all()
    [claimed] = read_posts(connection, rows)
    if claimed.status not in _FINISHABLE:
        is_live = claimed.status is PostStatus.POSTED
        raise _refused("This post was published already." if is_live else "This post is cancelled.")
    attempt = next((one for one in reversed(claimed.attempts) if one.step == Step.HAND_OVER), None)
    if attempt is None or attempt.outcome is AttemptOutcome.PUBLISHED or not claimed.is_handed_over:
        attempt = attempts.new_attempt(Step.HAND_OVER, now)
        attempts.write(connection, [Beginning(claimed, attempt)])
    item = Published(_content_id(post_id), url)
    live.publish(connection, [live.Item(replace(claimed, attempts=()), attempt, item, now, now)])
    return find_post(connection, account_id, post_id, Reach.COMPANION)


def take_back(connection: Connection, account_id: UUID, post_id: UUID, now: datetime) -> Post:
    """Undo ``finish``: the post waits again, for its time or for the user.

    Raises ApiError: 404 if the account has no such post, 400 if it wasn't finished within the last minutes.
    """
    post = _own_post(connection, account_id, post_id)
    status = target(Event.BEGIN) if post.scheduled_at <= now else PostStatus.SCHEDULED
    undone = connection.execute(
        update(posts)
        .where(posts.c.id == post_id, posts.c.status == PostStatus.POSTED.value)
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
        .values(outcome=AttemptOutcome.HANDED_OVER.value, content_id=None, advice=advice.HANDED_OVER)
    )
    return find_post(connection, account_id, post_id, Reach.COMPANION)


def _content_id(post_id: UUID) -> str:
    """The published post in the history: the user doesn't know the platform's own ID."""
    return f"by-hand:{post_id}"


def _own_post(connection: Connection, account_id: UUID, post_id: UUID) -> Post:
    post = find_post(connection, account_id, post_id, Reach.COMPANION)
    if post.platform not in BY_HAND_KEYS:
        raise _refused("Kalends publishes the posts of this account.")
    return post


def _refused(reason: str) -> ApiError:
    issue = ValidationIssue(field="post_id", message=reason, type="not_finishable")
    return ApiError(ErrorCode.VALIDATION_ERROR, reason, [issue])
