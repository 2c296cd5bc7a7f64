"""The way to the next free posting time of the chosen accounts."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.desktop import words
from app.desktop.calendar.planner import WeeklySlots
from app.desktop.widgets import LinkButton
from app.workspace.clock import Clock
from app.workspace.posts.timeline import Timeline
from app.workspace.slots.slots import next_free_slots
from app.workspace.time.wall import WallClock
from app.workspace.workspace import Workspace


class NextSlot(QWidget):
    """A link that names the time; hidden while there is none, or it is chosen already."""

    taken = Signal(object)
    """The slot's time in milliseconds since 1970 UTC."""

    def __init__(self, workspace: Workspace, zone: ZoneInfo, now: Clock) -> None:
        super().__init__()
        self._slots: WeeklySlots = workspace.slots
        self._posts: Timeline = workspace.posts
        self._clock, self._now = WallClock(zone), now
        self._at: int | None = None
        self.link = LinkButton("")
        self.link.clicked.connect(lambda: self.taken.emit(self._at))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.link, 0, Qt.AlignmentFlag.AlignLeft)
        self.hide()

    def show_for(self, account_keys: Sequence[str], at: int | None) -> None:
        """Offers the next slot of these accounts; ``at`` is the time that is chosen now."""
        free = next_free_slots(
            self._slots.all(), self._clock, self._posts, after=self._now(), accounts=frozenset(account_keys)
        )
        self._at = free[0].at if free and free[0].at != at else None
        if self._at is not None:
            moment = datetime.fromtimestamp(self._at / 1_000, self._clock.zone)
            self.link.setText(f"Next free slot: {words.day(moment)}, {words.clock(moment)}")
            self.link.updateGeometry()
        self.setVisible(self._at is not None)
