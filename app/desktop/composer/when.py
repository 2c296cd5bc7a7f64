"""Day, time and zone of a post, and the way to the next free slot."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import QDate, QTime, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.aio import TaskScope, ignore
from app.desktop.calendar.planner import WeeklySlots
from app.desktop.slots.wording import basis, reason
from app.desktop.widgets import (
    Button,
    DateField,
    ElidedLabel,
    FlowLayout,
    Label,
    LinkButton,
    PausedAnnouncer,
    Segmented,
    TimeField,
    ZonePicker,
)
from app.desktop.words import clock, day, utc_offset
from app.language import tr, trn
from app.workspace.analytics.best_times import BestTimes
from app.workspace.clock import Clock, wall_clock
from app.workspace.editing.schedule import Schedule, in_zone
from app.workspace.posts.timeline import Timeline
from app.workspace.slots.slots import SlotTime, next_free_slots
from app.workspace.time.wall import WallClock, weekday
from app.workspace.workspace import Workspace

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
        self.show_schedule(Schedule.of(at, zone))
        self.date.today = lambda: in_zone(self._now(), self.zone.zone()).date()
        self.date.misread.connect(self._tell)
        for signal in (self.date.dateChanged, self.time.timeChanged, self.zone.zone_changed):
            signal.connect(self._tell)
        self.which.selected.connect(self._tell)
        self.use_next.clicked.connect(self._take_next)

    def schedule(self) -> Schedule:
        """Return what is chosen."""
        is_second = self.which.value() == "second"
        return Schedule(self._local(), self.zone.zone(), is_second=is_second, misread=self.date.problem())

    def at(self) -> int | None:
        """Return the time in milliseconds since 1970 UTC; None for one that the clocks skip."""
        return self.schedule().at

    def show_schedule(self, schedule: Schedule) -> None:
        """Show another time, without a notice."""
        for field in (self.zone, self.which):
            field.blockSignals(True)
        self.zone.set_zone(schedule.zone)
        self.which.set_value("second" if schedule.is_second else "first")
        for field in (self.zone, self.which):
            field.blockSignals(False)
        self._show_local(schedule.local)
        self._show_note()

    def set_at(self, at: int) -> None:
        """Show a time in the zone that is chosen, without a notice."""
        self.show_schedule(Schedule.of(at, self.zone.zone()))

    def note(self) -> str:
        """Return what is said about the time, or ""."""
        return self._note.text()

    def problem(self) -> str:
        """Return why this time cannot be used, or ""."""
        return self.schedule().problem(self._now())

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

    def _tell(self) -> None:
        self._show_note()
        self._announcer.tell(self.note())
        self.changed.emit()

    def _take_next(self) -> None:
        self._show_local(self.schedule().next_valid)
        self._tell()
        self.time.setFocus()

    def _show_note(self) -> None:
        schedule = self.schedule()
        found, problem = schedule.readings, schedule.problem(self._now())
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
                    zone=self._own.key,
                )
            )
        return " ".join(remarks)

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
            self.link.setText(tr("Next free slot: {day}, {time}", day=day(moment), time=clock(moment)))
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
