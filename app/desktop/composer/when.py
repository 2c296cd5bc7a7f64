"""The field for day, time and zone of a post."""

from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import QDate, QTime, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.widgets import (
    Button,
    DateField,
    Label,
    PausedAnnouncer,
    Reflow,
    Segmented,
    TimeField,
    ZonePicker,
)
from app.desktop.words import clock, day, utc_offset, zone_time
from app.language import city, tr
from app.workspace.clock import Clock, wall_clock
from app.workspace.editing.schedule import Schedule, in_zone


class WhenField(QWidget):
    """Asks for a time. If clock changes skip or repeat it, this is shown with a fix.

    Args:
        zone: the calendar's zone.
        at: in milliseconds since 1970 UTC.
        title: the group's title; "" for none.
        now: the clock that decides whether a time has passed.
        with_zone: whether another zone can be selected.
    """

    changed = Signal()

    def __init__(
        self, zone: ZoneInfo, at: int, title: str = "", *, now: Clock = wall_clock, with_zone: bool = True
    ) -> None:
        super().__init__()
        self._own, self._now, self._said = zone, now, ""
        self._label = Label(title, "card", "text2", weight=QFont.Weight.Medium)
        self.date, self.time, self.zone = DateField(), TimeField(), ZonePicker(zone)
        self.date.setAccessibleName(tr("Day"))
        self.time.setAccessibleName(tr("Time"))
        self._label.setBuddy(self.date)
        if not title:  # without a parent yet, showing it would open a window
            self._label.hide()
        self.zone_button = Button("", "quiet")
        self.zone.hide()
        self._has_zone = with_zone
        self._note = Label("", "card", "text3", wrap=True)
        self._announcer = PausedAnnouncer(self)
        self.use_next = Button("", size="small")
        self.which = Segmented((("first", tr("First")), ("second", tr("Second"))), tr("Which one"))
        self._lay_out()
        self.show_schedule(Schedule.of(at, zone))
        self.date.today = lambda: in_zone(self._now(), self.zone.zone()).date()
        self.date.misread.connect(self._tell)
        for signal in (self.date.dateChanged, self.time.timeChanged, self.zone.zone_changed):
            signal.connect(self._tell)
        self.which.selected.connect(self._tell)
        self.use_next.clicked.connect(self._take_next)
        self.zone_button.clicked.connect(self._ask_zone)
        self.zone.zone_changed.connect(self._leave_zone)
        if (line := self.zone.lineEdit()) is not None:
            line.editingFinished.connect(self._leave_zone)

    def set_title(self, title: str) -> None:
        """Show another title."""
        self._label.setText(title)
        self._label.show()

    def schedule(self) -> Schedule:
        """Return the selected schedule."""
        is_second = self.which.value() == "second"
        return Schedule(self._local(), self.zone.zone(), is_second=is_second, misread=self.date.problem())

    def at(self) -> int | None:
        """Return the time in milliseconds since 1970 UTC; None for one skipped by a clock change."""
        return self.schedule().at

    def show_schedule(self, schedule: Schedule) -> None:
        """Set the schedule without emitting signals."""
        for field in (self.zone, self.which):
            field.blockSignals(True)
        self.zone.set_zone(schedule.zone)
        self.which.set_value("second" if schedule.is_second else "first")
        for field in (self.zone, self.which):
            field.blockSignals(False)
        self._show_local(schedule.local)
        self._show_note()

    def set_at(self, at: int) -> None:
        """Set the time in the selected zone without emitting signals."""
        self.show_schedule(Schedule.of(at, self.zone.zone()))

    def say(self, problem: str) -> None:
        """Show why posts can't be scheduled for this time, although it's a valid one; "" for nothing."""
        if problem != self._said:
            self._said = problem
            self._show_note()
            self._announcer.tell(self.note())

    @property
    def has_said(self) -> bool:
        """Whether `say` shows a problem."""
        return bool(self._said)

    def note(self) -> str:
        """Return the note about the time, or ""."""
        return self._note.text()

    def problem(self) -> str:
        """Return why this time can't be used, or ""."""
        return self.schedule().problem(self._now())

    def focus_problem(self) -> None:
        """Focus the field to change."""
        (self.use_next if self.at() is None else self.date).setFocus()

    def refresh(self) -> None:
        """Check the time against the clock again."""
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

    def _tell(self) -> None:
        self._show_note()
        self._announcer.tell(self.note())
        self.changed.emit()

    def _ask_zone(self) -> None:
        self.zone.show()
        self.zone_button.hide()
        self.zone.setFocus()
        if (line := self.zone.lineEdit()) is not None:
            line.selectAll()

    def _leave_zone(self) -> None:
        """Show the zone's city again after a selection or loss of focus."""
        if not self.zone.isHidden():
            had_focus = self.zone.isAncestorOf(QApplication.focusWidget() or self.window())
            self.zone_button.setVisible(self._has_zone)
            if had_focus:
                self.zone_button.setFocus()
            self.zone.hide()

    def _name_zone(self) -> None:
        zone, at = self.zone.zone(), self.at()
        self.zone_button.setText(zone_time(zone))
        offset = utc_offset(in_zone(at if at is not None else self._now(), zone))
        named = f"{city(zone)}, {offset}"
        self.zone_button.setToolTip(named)
        self.zone_button.setAccessibleName(tr("Time zone: {zone}", zone=named))
        self.zone_button.updateGeometry()

    def _take_next(self) -> None:
        self._show_local(self.schedule().next_valid)
        self._tell()
        self.time.setFocus()

    def _show_note(self) -> None:
        self._name_zone()
        schedule = self.schedule()
        found, problem = schedule.readings, schedule.problem(self._now()) or self._said
        text, tone = problem, "bad"
        if not problem:
            text, tone = self._remark(found), "warn" if len(found) > 1 else "text3"
        self._note.setText(text)
        self._note.set_tone(tone)
        self._note.setVisible(bool(text))
        self.use_next.setText(tr("Use {time}", time=clock(schedule.next_valid)))
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
                    zone=city(self._own),
                )
            )
        return " ".join(remarks)

    def _lay_out(self) -> None:
        row, foot, fields = Reflow((14, 9), gap=8), QHBoxLayout(), QWidget()
        foot.setSpacing(8)
        both = QHBoxLayout(fields)
        both.setContentsMargins(0, 0, 0, 0)
        both.setSpacing(8)
        both.addWidget(self.date, 9)
        both.addWidget(self.time, 5)
        row.add(fields, 0, 0)
        if self._has_zone:
            zones = QWidget()
            beside = QHBoxLayout(zones)
            beside.setContentsMargins(0, 0, 0, 0)
            beside.addWidget(self.zone_button)
            beside.addWidget(self.zone, 1)
            beside.addStretch()
            row.add(zones, 0, 1)
        foot.addWidget(self._note, 1)
        foot.addWidget(self.use_next)
        foot.addWidget(self.which)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self._label)
        column.addWidget(row)
        column.addLayout(foot)
