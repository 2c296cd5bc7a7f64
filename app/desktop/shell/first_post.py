"""The message shown once, when the first post of a calendar is scheduled."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from app.desktop.words import day_and_time
from app.language import tr
from app.workspace.clock import from_millis, wall_clock
from app.workspace.messages import Message
from app.workspace.workspace import Workspace


def first_post_message(
    workspace: Workspace, keys: Sequence[str], zone: ZoneInfo, *, runs_here: bool
) -> Message | None:
    """Return the message for posts that were just scheduled; None unless they're the first, and due later.

    ``runs_here``: posts are published only while Kalends runs on this computer.
    """
    posts = [post for key in keys if (post := workspace.posts.get(key)) is not None]
    if not posts or len(workspace.posts) > len(posts) or posts[0].at <= wall_clock():
        return None
    when = day_and_time(from_millis(posts[0].at).astimezone(zone))
    if posts[0].is_by_hand:
        text = tr("Your first post is scheduled: {when}. Kalends reminds you to publish it.", when=when)
    elif runs_here:
        text = tr("Your first post is scheduled: {when}. Keep Kalends running until then.", when=when)
    else:
        text = tr("Your first post is scheduled: {when}. You can close Kalends until then.", when=when)
    return Message("info", text, about="the first post")
