"""Day, time and zone of a post, and what there is to say about them."""

from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import QDate, QTime, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.composer.instants import in_zone, next_valid, readings
from app.desktop.widgets import (
    Button,
    DateField,
    Label,
    PausedAnnouncer,
    Segmented,
    TimeField,
    ZonePicker,
)
from app.desktop.words import clock, day, utc_offset
from app.language import tr
from app.workspace.clock import Clock, to_millis, wall_clock

PAST = tr("That time has passed. Choose a later one.")
_WHEN = tr("When")


class WhenField(QWidget):
    """Asks for a time. A time that the clocks skip or show twice is said so, with a way on.

    Args:
        zone: the calendar's zone.
        at: in milliseconds since 1970 UTC.
        title: what the group is called.
        now: the clock that tells whether a time has passed.
        with_zone: whether another zone may be chosen.
    """

    changed = Signal()

    def __init__(
        self, zone: ZoneInfo, at: int, title: str = _WHEN, *, now: Clock = wall_clock, with_zone: bool = True
    ) -> None:
        super().__init__()
        self._own, self._now = zone, now
        self._label = Label(title, "card", "text2", weight=QFont.Weight.Medium)
        self.date, self.time, self.zone = DateField(), TimeField(), ZonePicker(zone)
        self.date.setAccessibleName(tr("Day"))
        self.time.setAccessibleName(tr("Time"))
        self._label.setBuddy(self.date)
        self._note = Label("", "card", "text3", wrap=True)
        self._announcer = PausedAnnouncer(self)
        self.use_next = Button("", size="small")
        self.which = Segmented((("first", tr("First")), ("second", tr("Second"))), tr("Which one"))
        if not with_zone:  # without a parent yet, showing it would open a window
            self.zone.hide()
        self._lay_out()
        self.set_at(at, zone)
        self.date.today = lambda: in_zone(self._now(), self.zone.zone()).date()
        self.date.misread.connect(self._tell)
        for signal in (self.date.dateChanged, self.time.timeChanged, self.zone.zone_changed):
            signal.connect(self._tell)
        self.which.selected.connect(self._tell)
        self.use_next.clicked.connect(self._take_next)

    def at(self) -> int | None:
        """Return the time in milliseconds since 1970 UTC; None for one that the clocks skip."""
        found = self._readings()
        if not found:
            return None
        second = len(found) > 1 and self.which.value() == "second"
        return to_millis(found[1 if second else 0])

    def set_at(self, at: int, zone: ZoneInfo | None = None) -> None:
        """Show a time, in `zone` when one is given."""
        if zone is not None:
            self.zone.set_zone(zone)
        moment = in_zone(at, self.zone.zone())
        self._show_local(moment.replace(tzinfo=None))
        found = self._readings()
        self.which.set_value("second" if len(found) > 1 and to_millis(found[1]) == at else "first")
        self._show_note()

    def note(self) -> str:
        """Return what is said about the time, or ""."""
        return self._note.text()

    def problem(self) -> str:
        """Return why this time cannot be used, or ""."""
        if typed := self.date.problem():
            return typed
        at = self.at()
        if at is None:
            return self._skipped()
        return PAST if at <= self._now() else ""

    def focus_problem(self) -> None:
        """Go to what has to be changed."""
        (self.use_next if self.at() is None else self.date).setFocus()

    def refresh(self) -> None:
        """Look at the clock again."""
        self._show_note()

    def _local(self) -> datetime:
        date, time = self.date.date(), self.time.time()
        return datetime(date.year(), date.month(), date.day(), time.hour(), time.minute())  # noqa: DTZ001

    def _show_local(self, local: datetime) -> None:
        for field in (self.date, self.time):
            field.blockSignals(True)
        self.date.setDate(QDate(local.year, local.month, local.day))
        self.time.setTime(QTime(local.hour, local.minute))
        for field in (self.date, self.time):
            field.blockSignals(False)

    def _readings(self) -> tuple[datetime, ...]:
        return readings(self._local(), self.zone.zone())

    def _tell(self) -> None:
        self._show_note()
        self._announcer.tell(self.note())
        self.changed.emit()

    def _take_next(self) -> None:
        self._show_local(next_valid(self._local(), self.zone.zone()))
        self._tell()
        self.time.setFocus()

    def _show_note(self) -> None:
        found, problem = self._readings(), self.problem()
        text, tone = problem, "bad"
        if not problem:
            text, tone = self._remark(found), "warn" if len(found) > 1 else "text3"
        self._note.setText(text)
        self._note.set_tone(tone)
        self._note.setVisible(bool(text))
        self.use_next.setText(tr("Use {time}", time=clock(next_valid(self._local(), self.zone.zone()))))
        self.use_next.setVisible(not found)
        self.which.setVisible(len(found) > 1)
        for field in (self.date, self.time):
            field.setAccessibleDescription(text)

    def _remark(self, found: tuple[datetime, ...]) -> str:
        remarks = []
        if len(found) > 1:
            first, second = (utc_offset(moment) for moment in found)
            remarks.append(
                tr(
                    "The clocks go back: {time} happens twice, first in {first}, then in {second}.",
                    time=clock(found[0]),
                    first=first,
                    second=second,
                )
            )
        at, zone = self.at(), self.zone.zone()
        if at is not None and zone.key != self._own.key:
            own = in_zone(at, self._own)
            remarks.append(
                tr(
                    "In the calendar: {day}, {time} ({zone}).",
                    day=day(own),
                    time=clock(own),
                    zone=self._own.key,
                )
            )
        return " ".join(remarks)

    def _skipped(self) -> str:
        local = self._local()
        return tr(
            "The clocks go forward: {time} doesn't exist on {day} in {zone}.",
            time=clock(local),
            day=day(local),
            zone=self.zone.zone().key,
        )

    def _lay_out(self) -> None:
        row, foot = QHBoxLayout(), QHBoxLayout()
        row.setSpacing(8)
        foot.setSpacing(8)
        row.addWidget(self.date, 10)
        row.addWidget(self.time, 5)
        row.addWidget(self.zone, 8)
        foot.addWidget(self._note, 1)
        foot.addWidget(self.use_next)
        foot.addWidget(self.which)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self._label)
        column.addLayout(row)
        column.addLayout(foot)
