"""Reasons why a post can't be moved or cancelled, as messages for the tooltip of a drag."""

from app.contract.enums import PostStatus
from app.language import tr
from app.workspace.clock import LAST_MOMENT
from app.workspace.posts.planned import PlannedPost

GONE = tr("This post no longer exists.")


def refuse_move(post: PlannedPost | None, at: int, *, now: int, unsent: bool) -> str | None:
    """Return why the post can't be moved to ``at``; None if it can.

    Cancelled posts aren't moved, because that would publish them.
    """
    if post is not None and post.status is PostStatus.CANCELLED and not (post.published or post.may_be_live):
        return tr("It's cancelled. To publish it after all, choose “Schedule again”.")
    return refuse_schedule(post, at, now=now, unsent=unsent)


def refuse_schedule(post: PlannedPost | None, at: int, *, now: int, unsent: bool) -> str | None:
    """Return why the post can't be published at ``at``, cancelled or not; None if it can.

    ``unsent``: the service doesn't have it yet.
    """
    if post is None:
        return GONE
    if post.published or post.status is PostStatus.POSTED:
        return tr("It's already published.")
    if post.is_in_inbox:
        return tr("It's in your inbox on the platform. Finish it there.")
    if post.status in (PostStatus.QUEUED, PostStatus.PROCESSING) and not post.waits_for_user:
        return tr("It's being published right now.")
    if post.may_be_live:
        return tr("It may already be published. Check the platform first.")
    if post.status is PostStatus.FAILED and not unsent:
        return tr("It failed and can't be moved. Schedule it again as a new post.")
    if not post.status.is_known:
        return tr("Kalends doesn't recognize its status, “{state}”.", state=post.status.value[:40])
    if at <= now:
        return tr("That time has passed.")
    if at > LAST_MOMENT:
        return tr("That date is too far in the future.")
    return None


def refuse_cancel(post: PlannedPost | None) -> str | None:
    """Return why the post can't be cancelled; None if it can."""
    if post is None:
        return GONE
    if post.published or post.status is PostStatus.POSTED:
        return tr("It's already published. Cancelling doesn't remove it.")
    return None


def named(post: PlannedPost | None) -> str:
    """Return the name of a post in a sentence: its headline, shortened, in quotation marks."""
    if post is None or not post.headline:
        return tr("Post without text")
    words = post.headline if len(post.headline) <= 60 else post.headline[:59].rstrip() + "…"
    return tr("“{quoted}”", quoted=words)
