"""The ways of posts to the next free posting times."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import QObject, Signal

from app.desktop.calendar import moves
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.planner import Planner
from app.language import tr
from app.workspace.clock import wall_clock
from app.workspace.messages import Message, MessageAction
from app.workspace.posts.planned import PlannedPost
from app.workspace.slots.gaps import next_slots
from app.workspace.slots.slots import next_free_slots

_NO_SLOT = Message(
    "info",
    tr(
        "No free posting time. Add weekly posting times for the account; they appear "
        "in the week and day views."
    ),
    action=MessageAction(tr("Posting times"), "show_slots"),
)


class ToSlots(QObject):
    """Moves posts to slots, and begins new ones there."""

    begun = Signal(object, object)
    """A new post is wanted at a time (milliseconds since 1970 UTC) for accounts, by a tuple of their keys."""
    told = Signal(object)
    """A Message for the person."""

    def __init__(self, owner: QObject, planner: Planner, days: LocalDays) -> None:
        super().__init__(owner)
        self._planner = planner
        self._days = days

    def move(self, posts: Sequence[PlannedPost]) -> None:
        """Moves posts to the next free slots of their accounts, as one step."""
        cancelled = {post.key for post in moves.staying(posts)}
        posts = [post for post in posts if post.key not in cancelled] or posts  # they take no slots
        slots, timeline = self._planner.slots.all(), self._planner.posts
        times = next_slots(posts, slots, self._days, timeline, wall_clock())
        if len(times) < len(posts):
            self.told.emit(_NO_SLOT)
        if times:
            self._planner.move(times)

    def begin(self, accounts: Collection[str]) -> None:
        """Asks for a new post in the next free slot of accounts; of all where none are given."""
        slots, timeline = self._planner.slots.all(), self._planner.posts
        free = next_free_slots(slots, self._days, timeline, after=wall_clock(), accounts=accounts or None)
        if free:
            self.begun.emit(free[0].at, (free[0].account_key,))
        else:
            self.told.emit(_NO_SLOT)
