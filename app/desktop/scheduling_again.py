"""Publishing a cancelled post after all, and saying so."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from app.desktop.words import day_and_time
from app.language import tr, trn
from app.workspace.clock import from_millis
from app.workspace.messages import Message, MessageAction
from app.workspace.posts.planned import Timeline
from app.workspace.posts.refusal import named
from app.workspace.undo import Entry

UNDO_STEP = "undo_step"
"""The verb of a message that undoes a step; its subject is the step's id."""


class Scheduler(Protocol):
    """Schedules cancelled posts again. ``Workspace`` is one."""

    @property
    def posts(self) -> Timeline: ...

    @property
    def history(self) -> Sequence[Entry]: ...

    def schedule_again(self, times: Mapping[str, int]) -> Sequence[str]: ...


def schedule_again(scheduler: Scheduler, times: Mapping[str, int], zone: ZoneInfo) -> Message | None:
    """Schedule cancelled posts again; return what to tell the user, None if none could be scheduled."""
    keys = scheduler.schedule_again(times)
    posts = [post for key in keys if (post := scheduler.posts.get(key))]
    step = next((step for step in scheduler.history if step.done), None)
    if not posts or step is None:
        return None
    when: datetime = from_millis(posts[0].at).astimezone(zone)
    text = trn(
        "{post} is scheduled again for {when}.",
        "{n} posts are scheduled again.",
        len(posts),
        post=named(posts[0]),
        when=day_and_time(when),
    )
    return Message("info", text, action=MessageAction(tr("Undo"), UNDO_STEP, str(step.id)))
