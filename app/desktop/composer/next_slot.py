"""The way to the next free posting time of the chosen accounts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.desktop import words
from app.desktop.aio import TaskScope, ignore
from app.desktop.calendar.planner import WeeklySlots
from app.desktop.slots.wording import basis, reason
from app.desktop.widgets import ElidedLabel, FlowLayout, LinkButton
from app.language import tr, trn
from app.workspace.analytics.best_times import BestTimes
from app.workspace.clock import Clock
from app.workspace.posts.timeline import Timeline
from app.workspace.slots.slots import SlotTime, next_free_slots
from app.workspace.time.wall import WallClock, weekday
from app.workspace.workspace import Workspace


class NextSlot(QWidget):
    """A link that names the time, and says when it is one of the account's best.

    Hidden while there is no slot, or it is chosen already.
    """

    taken = Signal(object)
    """The slot's time in milliseconds since 1970 UTC."""

    def __init__(self, workspace: Workspace, zone: ZoneInfo, now: Clock) -> None:
        super().__init__()
        self._workspace = workspace
        self._slots: WeeklySlots = workspace.slots
        self._posts: Timeline = workspace.posts
        self._clock, self._now = WallClock(zone), now
        self._slot: SlotTime | None = None
        self._best: Mapping[str, BestTimes] | None = None
        self._scope = TaskScope(self, ignore)  # without the numbers the slot is offered all the same
        self.link, self.note = LinkButton(""), ElidedLabel("", "card", "text3")
        self.link.clicked.connect(self._take)
        row = FlowLayout(self, gap=8)
        row.addWidget(self.link)
        row.addWidget(self.note)
        self.hide()

    def show_for(self, account_keys: Sequence[str], at: int | None) -> None:
        """Offers the next slot of these accounts; ``at`` is the time that is chosen now."""
        free = next_free_slots(
            self._slots.all(), self._clock, self._posts, after=self._now(), accounts=frozenset(account_keys)
        )
        self._slot = free[0] if free and free[0].at != at else None
        if self._slot is not None:
            moment = datetime.fromtimestamp(self._slot.at / 1_000, self._clock.zone)
            self.link.setText(
                tr("Next free slot: {day}, {time}", day=words.day(moment), time=words.clock(moment))
            )
            self.link.updateGeometry()
            self._show_note(self._slot)
        self.setVisible(self._slot is not None)

    def _take(self) -> None:
        if self._slot is not None:
            self.taken.emit(self._slot.at)

    def _show_note(self, slot: SlotTime) -> None:
        if self._best is None:
            self._best = {}
            self._scope.start(self._find_best())
        day, minute = self._clock.place(slot.at)
        found = self._best.get(slot.account_key, BestTimes())
        hour = weekday(day), minute // 60
        best = next((one for one in found.times if (one.weekday, one.hour) == hour), None)
        self.note.setVisible(best is not None)
        self.note.setText(
            trn("Best time, from {n} of your post", "Best time, from {n} of your posts", best.posts)
            if best
            else ""
        )
        why = (
            tr("A best time: {reason}, {basis}", reason=reason(best, found), basis=basis(found))
            if best
            else ""
        )
        self.link.setToolTip(why)
        self.link.setAccessibleDescription(why)

    async def _find_best(self) -> None:
        self._best = await self._workspace.analytics.best_times(self._clock.zone)
        if self._slot is not None:
            self._show_note(self._slot)
