"""Single posts of connected accounts that the user publishes by hand."""

from typing import Final
from uuid import UUID

from sqlalchemy import Connection, exists, update

from app.contract.companion import AttemptOutcome
from app.contract.enums import ErrorCode, PostStatus
from app.contract.errors import ValidationIssue
from app.contract.posts import Post
from app.database import is_one_of
from app.platforms.cards import by_hand_key, is_by_hand
from app.service.api.responses import ApiError, invalid
from app.service.posts.rows import as_post, columns_of, find_post
from app.service.store.reach import Reach
from app.service.store.tables import attempts, posts

_CHANGEABLE: Final = (PostStatus.SCHEDULED.value, PostStatus.CANCELLED.value)
_UNDECIDED: Final = (AttemptOutcome.PENDING.value, AttemptOutcome.UNKNOWN.value)


def set_by_hand(connection: Connection, account_id: UUID, post_id: UUID, *, by_hand: bool) -> Post:
    """Let the user publish a post, or Kalends again. Releases any claim: its worker saw the earlier choice.

    Raises ApiError: 404 if the account has no such post, 400 if nobody can publish to its platform by hand,
    or it's being published, published or failed.
    """
    post = find_post(connection, account_id, post_id, Reach.ALL)
    if not by_hand_key(post.platform) or is_by_hand(post.platform):
        raise invalid("by_hand", f"isn't possible for posts on {post.platform}", "not_offered")
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
    return as_post(changed, Reach.ALL)
