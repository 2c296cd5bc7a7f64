"""Rescheduling and deleting posts, and reports of what is on a platform.

Every UPDATE states its preconditions in WHERE.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    case,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from app.contract.companion import AttemptOutcome
from app.contract.enums import DeleteAction, ErrorCode, PostStatus
from app.contract.errors import ValidationIssue
from app.contract.posts import Post, PostDeleteResult
from app.database import is_one_of
from app.platforms.by_hand import BY_HAND_KEYS
from app.service import inbox
from app.service.api.responses import ApiError, invalid_fields, not_found
from app.service.media import rows
from app.service.posts.rows import as_post, columns_of, find_post
from app.service.publishing.advice import published_by_another
from app.service.publishing.history import Event, target
from app.service.store.reach import Reach
from app.service.store.tables import attempts, posts, removed_posts

_MOVABLE = (PostStatus.SCHEDULED.value, PostStatus.CANCELLED.value)
_WAITS_FOR_USER = and_(
    is_one_of(posts.c.status, (PostStatus.QUEUED.value, PostStatus.PROCESSING.value)),
    or_(is_one_of(posts.c.platform, BY_HAND_KEYS), posts.c.by_hand),
)
"""Posts that the user was asked to publish, or is about to be: Kalends calls nothing for them."""
_IN_FLIGHT = (PostStatus.PROCESSING.value, PostStatus.CANCELLED.value)
"""Statuses in which an attempt may be in progress; it goes on after its post was cancelled."""
_UNDECIDED = (AttemptOutcome.PENDING.value, AttemptOutcome.UNKNOWN.value)
_MAY_LIVE = (*_UNDECIDED, AttemptOutcome.IN_INBOX.value)
_REASONS = {
    PostStatus.QUEUED: "This post is being published now, so it can't be moved.",
    PostStatus.PROCESSING: "This post is being published now, so it can't be moved.",
    PostStatus.FAILED: "This post failed, so it can't be moved. Create it again with a new time.",
}
_PUBLISHED = "This post was published already, so it can't be moved."
_WITHOUT_FILE = "This post's file was removed, so it can't be moved. Create it again with another file."
_MAY_BE_LIVE = "This post was cancelled while it was being published and may be live, so it can't be moved."


def reschedule(
    connection: Connection, account_id: UUID, post_id: UUID, at: datetime, reach: Reach = Reach.SPECIFIED
) -> Post:
    """Reschedule an unpublished post, releasing any claim; a cancelled post is resumed.

    Raises ApiError: 404 if the account has no such post, 400 if it can't be rescheduled any more.
    """
    may_be_live = exists().where(attempts.c.post_id == posts.c.id, is_one_of(attempts.c.outcome, _MAY_LIVE))
    moved = connection.execute(
        update(posts)
        .where(
            posts.c.id == post_id,
            posts.c.account_id == account_id,
            reach.takes(posts.c.platform),
            _is_movable(reach),
            posts.c.posted_at.is_(None),
            ~may_be_live,
        )
        .values(status=PostStatus.SCHEDULED.value, scheduled_at=at, claimed_by=None, claimed_until=None)
        .returning(*columns_of(reach))
    ).one_or_none()
    if moved is None:
        raise _immovable(find_post(connection, account_id, post_id, reach))
    if full := inbox.full_issues(connection, moved.social_account_id, at, post_id):
        raise invalid_fields(full)
    if (
        moved.media_storage_path
        and rows.stored_file(connection, account_id, moved.media_storage_path) is None
    ):
        raise _refused(_WITHOUT_FILE)
    return as_post(moved, reach)


def _is_movable(reach: Reach) -> ColumnElement[bool]:
    """Return the condition on a post's status. For v1, posts that wait for the user are being published."""
    movable = is_one_of(posts.c.status, _MOVABLE)
    return movable if reach is Reach.SPECIFIED else or_(movable, _WAITS_FOR_USER)


def cancel(
    connection: Connection, account_id: UUID, post_id: UUID, reach: Reach = Reach.SPECIFIED
) -> PostDeleteResult:
    """Set a post to ``cancelled``. An attempt in progress keeps its claim, to find out its outcome.

    Raises ApiError (404) if the account has no such post.
    """
    in_flight = is_one_of(posts.c.status, _IN_FLIGHT)
    cancelled = connection.execute(
        update(posts)
        .where(posts.c.id == post_id, posts.c.account_id == account_id, reach.takes(posts.c.platform))
        .values(
            status=PostStatus.CANCELLED.value,
            claimed_by=case((in_flight, posts.c.claimed_by)),
            claimed_until=case((in_flight, posts.c.claimed_until)),
        )
        .returning(posts.c.batch_id)
    ).one_or_none()
    if cancelled is None:
        raise not_found("post")
    return _result(connection, account_id, post_id, cancelled.batch_id, DeleteAction.CANCELLED, reach)


def remove(
    connection: Connection, account_id: UUID, post_id: UUID, reach: Reach = Reach.SPECIFIED
) -> tuple[PostDeleteResult, str | None]:
    """Delete a post permanently; its attempts and published content stay on record.

    During a call, what is needed to find out its outcome is kept until then. Also returns the storage path of
    the post's file if no other post uses it: the file may be deleted after the commit. Raises ApiError (404)
    if the account has no such post.
    """
    removed = connection.execute(
        delete(posts)
        .where(posts.c.id == post_id, posts.c.account_id == account_id, reach.takes(posts.c.platform))
        .returning(*posts.c)
    ).one_or_none()
    if removed is None:
        raise not_found("post")
    _keep_if_open(connection, removed)
    path = removed.media_storage_path
    orphan = path if rows.release(connection, path) else None
    return _result(connection, account_id, post_id, removed.batch_id, DeleteAction.DELETED, reach), orphan


def _keep_if_open(connection: Connection, removed: Row[Any]) -> None:
    """Keep a post that has an open attempt. Check after the delete, because starting a call locks the row."""
    is_open = exists().where(attempts.c.post_id == removed.id, attempts.c.finished_at.is_(None))
    if connection.scalar(select(is_open)):
        kept = [column.name for column in removed_posts.c if column.name != "claimed_until"]
        connection.execute(insert(removed_posts).values({name: getattr(removed, name) for name in kept}))


def _result(
    connection: Connection,
    account_id: UUID,
    post_id: UUID,
    batch_id: str | None,
    action: DeleteAction,
    reach: Reach,
) -> PostDeleteResult:
    details: dict[str, Any] | None = None
    if batch_id is not None:
        details = {"batch_id": batch_id, "remaining": _remaining(connection, account_id, batch_id, reach)}
    return PostDeleteResult(id=post_id, action=action, details=details)


def _remaining(connection: Connection, account_id: UUID, batch_id: str, reach: Reach) -> int:
    """Posts of the batch that are neither deleted nor cancelled."""
    remaining = connection.scalar(
        select(func.count()).where(
            posts.c.account_id == account_id,
            reach.takes(posts.c.platform),
            posts.c.batch_id == batch_id,
            posts.c.status != PostStatus.CANCELLED.value,
        )
    )
    return remaining or 0


def _immovable(post: Post) -> ApiError:
    if post.posted_at is not None or post.status is PostStatus.POSTED:
        reason = _PUBLISHED
    else:
        reason = _REASONS.get(post.status, _MAY_BE_LIVE)
    return _refused(reason)


def _refused(reason: str) -> ApiError:
    issue = ValidationIssue(field="scheduled_at", message=reason, type="not_movable")
    return ApiError(ErrorCode.VALIDATION_ERROR, reason, [issue])


_KNOWN = "Only the outcome of a failed post whose platform never answered can be reported."
_ABSENT = "Somebody looked at the account: the post isn't there."


def report_outcome(
    connection: Connection, account_id: UUID, post_id: UUID, now: datetime, *, is_live: bool
) -> Post:
    """Settle the attempts with an unknown outcome; a post that is live becomes ``posted``.

    The first of them published it, since a call is only repeated on platforms that refuse copies. The history
    lists no content, since its ID is unknown.

    Raises ApiError: 404 if the account has no such post, 400 if nothing is unknown about it.
    """
    find_post(connection, account_id, post_id, Reach.ALL)
    lost = connection.execute(
        select(attempts.c.id, attempts.c.started_at)
        .where(
            attempts.c.post_id == post_id,
            attempts.c.account_id == account_id,
            attempts.c.outcome == AttemptOutcome.UNKNOWN.value,
        )
        .order_by(attempts.c.started_at)
    ).all()
    values = {"status": PostStatus.FAILED.value}  # written in any case: the post may change meanwhile
    if lost and is_live:
        values = {"status": target(Event.PUBLISH).value, "posted_at": lost[0].started_at}
    changed = connection.execute(
        update(posts)
        .where(posts.c.id == post_id, is_one_of(posts.c.status, [PostStatus.FAILED]))
        .values(**values)
    )
    if not lost or not changed.rowcount:
        issue = ValidationIssue(field="is_live", message=_KNOWN, type="not_unknown")
        raise ApiError(ErrorCode.VALIDATION_ERROR, _KNOWN, [issue])
    ids = [one.id for one in lost]
    if is_live:
        _settle(connection, ids[:1], AttemptOutcome.PUBLISHED, None, now)
        _settle(connection, ids[1:], AttemptOutcome.TRANSIENT, published_by_another().advice, now)
    else:
        _settle(connection, ids, AttemptOutcome.REFUSED, _ABSENT, now)
    return find_post(connection, account_id, post_id, Reach.ALL)


def _settle(
    connection: Connection, ids: Sequence[UUID], outcome: AttemptOutcome, advice: str | None, now: datetime
) -> None:
    settled = {"outcome": outcome.value, "finished_at": now, "platform_code": None, "platform_message": None}
    connection.execute(update(attempts).where(attempts.c.id.in_(ids)).values(**settled, advice=advice))
