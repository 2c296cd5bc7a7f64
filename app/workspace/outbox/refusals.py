"""What the service refused, said once for all posts that were sent together."""

from dataclasses import dataclass
from typing import Literal

from app.language import filled, tr
from app.workspace.core import Core
from app.workspace.messages import Message, MessageAction
from app.workspace.posts.planned import PlannedPost
from app.workspace.posts.refusal import named

What = Literal["planned", "moved", "cancelled"]

_NOT_DONE: dict[What, str] = {
    "planned": tr("{post} wasn't scheduled."),
    "moved": tr("{post} wasn't moved."),
    "cancelled": tr("{post} wasn't cancelled."),
}
_NOT_DONE_SINCE: dict[What, str] = {
    "planned": tr("{post} wasn't scheduled: {reason}."),
    "moved": tr("{post} wasn't moved: {reason}."),
    "cancelled": tr("{post} wasn't cancelled: {reason}."),
}
_SEVERAL: dict[What, str] = {
    "planned": tr("{n} posts weren't scheduled. {first}"),
    "moved": tr("{n} posts weren't moved. {first}"),
    "cancelled": tr("{n} posts weren't cancelled. {first}"),
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A post, what it was not ("moved"), and why."""

    post: PlannedPost
    what: What
    reason: str
    details: str

    @property
    def line(self) -> str:
        """The post and the reason in a sentence."""
        told = (_NOT_DONE_SINCE if self.reason else _NOT_DONE)[self.what]
        return told.format(post=named(self.post), reason=self.reason)


class Refusals:
    """Collects refusals until nothing is being sent; one message then names which posts and why."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._waiting: list[Refusal] = []

    def add(self, refusal: Refusal) -> None:
        """Will be told with the others; at once when nothing else is to be sent."""
        self._waiting.append(refusal)
        mirror = self._core.mirror
        if mirror.intentions.keys() <= mirror.conflicts:
            self.tell()

    def tell(self) -> None:
        """Says what has been collected, a message for each thing that was not done."""
        waiting, self._waiting = self._waiting, []
        for what in dict.fromkeys(refusal.what for refusal in waiting):
            self._say([refusal for refusal in waiting if refusal.what == what])

    def _say(self, alike: list[Refusal]) -> None:
        first = alike[0]
        action = MessageAction(tr("Show"), "show_post", first.post.key)
        if len(alike) == 1:
            self._core.messages.tell(Message("error", first.line, first.details, action))
            return
        text = filled(_SEVERAL[first.what], n=len(alike), first=first.line)
        details = "\n".join(dict.fromkeys((*(refusal.line for refusal in alike), first.details)))
        self._core.messages.tell(Message("error", text, details, action))
