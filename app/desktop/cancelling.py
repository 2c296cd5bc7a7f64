"""Cancelling posts and rescheduling them, with a message that offers Undo."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from app.contract.enums import PostStatus
from app.desktop.words import day_and_time
from app.language import tr, trn
from app.workspace.clock import from_millis
from app.workspace.messages import Message, MessageAction
from app.workspace.posts.planned import PlannedPost, Timeline
from app.workspace.posts.refusal import named
from app.workspace.undo import Entry

UNDO_STEP = "undo_step"
"""The verb of a message that undoes a step; its subject is the step's ID."""


class Scheduler(Protocol):
    """Cancels and reschedules posts. ``Workspace`` is one."""

    @property
    def posts(self) -> Timeline: ...

    @property
    def history(self) -> Sequence[Entry]: ...

    def cancel(self, keys: Iterable[str]) -> None: ...

    def schedule_again(self, times: Mapping[str, int]) -> Sequence[str]: ...


def schedule_again(scheduler: Scheduler, times: Mapping[str, int], zone: ZoneInfo) -> Message | None:
    """Reschedule cancelled posts; return a message for the user, None if none could be rescheduled."""
    keys = scheduler.schedule_again(times)
    posts = [post for key in keys if (post := scheduler.posts.get(key))]
    if not posts:
        return None
    text = trn(
        "{post} is scheduled again for {when}.",
        "{n} posts are scheduled again.",
        len(posts),
        post=named(posts[0]),
        when=_when(posts[0], zone),
    )
    return _undoable(scheduler, text)


def cancel(scheduler: Scheduler, keys: Iterable[str], zone: ZoneInfo) -> Message | None:
    """Cancel posts; return a message for the user, None if none could be cancelled."""
    wanted = [key for key in keys if not _is_cancelled(scheduler.posts.get(key))]
    scheduler.cancel(wanted)
    posts = [post for key in wanted if (post := scheduler.posts.get(key)) and _is_cancelled(post)]
    if not posts:
        return None
    text = trn(
        "Cancelled: {post}, {when}.",
        "{n} posts cancelled.",
        len(posts),
        post=named(posts[0]),
        when=_when(posts[0], zone),
    )
    return _undoable(scheduler, text)


def _undoable(scheduler: Scheduler, text: str) -> Message:
    step = next((step for step in scheduler.history if step.done), None)
    return Message("info", text, action=MessageAction(tr("Undo"), UNDO_STEP, str(step.id)) if step else None)


def _when(post: PlannedPost, zone: ZoneInfo) -> str:
    when: datetime = from_millis(post.at).astimezone(zone)
    return day_and_time(when)


def _is_cancelled(post: PlannedPost | None) -> bool:
    return post is not None and post.status is PostStatus.CANCELLED
