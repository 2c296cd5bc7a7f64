"""Single posts of connected accounts that the user publishes by hand."""

from typing import Final
from uuid import UUID

from sqlalchemy import Connection, exists, select, update

from app.contract.companion import AttemptOutcome
from app.contract.enums import ErrorCode, PostStatus
from app.contract.errors import ValidationIssue
from app.contract.posts import Post
from app.database import is_one_of
from app.platforms import rules
from app.platforms.cards import offers_by_hand
from app.service import inbox
from app.service.api.responses import ApiError, invalid_fields
from app.service.posts.creating import Unreachable, as_issues, not_offered
from app.service.posts.rows import as_post, columns_of, find_post
from app.service.store.reach import Reach
from app.service.store.tables import attempts, posts

_CHANGEABLE: Final = (PostStatus.SCHEDULED.value, PostStatus.CANCELLED.value)
_UNDECIDED: Final = (AttemptOutcome.PENDING.value, AttemptOutcome.UNKNOWN.value)


def check_publishable(
    connection: Connection, account_id: UUID, post_id: UUID, unreachable: Unreachable
) -> None:
    """Check a post by the rules of its platform's API, which posts by hand are free of.

    Takes several milliseconds. Raises ApiError: 404 if the account has no such post, 400 with the fields that
    keep Kalends from publishing it.
    """
    post = find_post(connection, account_id, post_id, Reach.ALL)
    found = rules.check(
        platform=post.platform,
        post_type=post.post_type,
        title=post.title,
        text=post.description,
        has_media=bool(post.media_storage_path),
        board_id=connection.scalar(select(posts.c.pinterest_board_id).where(posts.c.id == post_id)),
        unreachable=unreachable.get(post.platform, ()),
    )
    if found:
        raise invalid_fields(as_issues(found))


def set_by_hand(connection: Connection, account_id: UUID, post_id: UUID, *, by_hand: bool) -> Post:
    """Let the user publish a post, or Kalends again. Releases any claim: its worker saw the earlier choice.

    Raises ApiError: 404 if the account has no such post, 400 if nobody can publish to its platform by hand,
    or it's being published, published or failed.
    """
    post = find_post(connection, account_id, post_id, Reach.ALL)
    if not offers_by_hand(post.platform):
        raise invalid_fields([not_offered(post.platform)])
    may_be_live = exists().where(attempts.c.post_id == posts.c.id, is_one_of(attempts.c.outcome, _UNDECIDED))
    changed = connection.execute(
        update(posts)
        .where(posts.c.id == post_id, is_one_of(posts.c.status, _CHANGEABLE))
        .where(posts.c.posted_at.is_(None), ~may_be_live)
        .values(by_hand=by_hand, claimed_by=None, claimed_until=None)
        .returning(*columns_of(Reach.ALL))
    ).one_or_none()
    if changed is None:
        reason = "Only a scheduled or cancelled post can be changed like this."
        issue = ValidationIssue(field="by_hand", message=reason, type="not_changeable")
        raise ApiError(ErrorCode.VALIDATION_ERROR, reason, [issue])
    if full := inbox.full_issues(connection, changed.social_account_id, changed.scheduled_at, post_id):
        raise invalid_fields(full)
    return as_post(changed, Reach.ALL)
