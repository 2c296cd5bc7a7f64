"""Suggested times: the next free posting time, and the next best time."""

from collections.abc import Mapping, Sequence
from functools import partial
from zoneinfo import ZoneInfo

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.desktop.aio import TaskScope, ignore
from app.desktop.calendar.planner import WeeklySlots
from app.desktop.slots.best_times import basis, reason
from app.desktop.theme import theme
from app.desktop.widgets import FlowLayout
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import draw_icon, mirrored, rounded, shows_focus
from app.desktop.words import clock, day_and_time
from app.language import tr, trc, weekday_short
from app.workspace.analytics.best_times import BestTime, BestTimes
from app.workspace.clock import Clock
from app.workspace.editing.schedule import BestMoment, in_zone, next_best
from app.workspace.posts.planned import Timeline
from app.workspace.slots.slots import SlotTime, next_free_slots
from app.workspace.time.wall import DAY_MS, WallClock, weekday
from app.workspace.workspace import Workspace

_PADDING, _GAP, _ICON = 10, 6, 12
_WEEK_MS = 6 * DAY_MS


class TimeChip(EnterPresses):
    """A suggested time, and the reason for it."""

    def __init__(self, why: str, icon: str = "") -> None:
        super().__init__()
        self._why, self._icon_name, self._time = why, icon, ""
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.follow(self._restyle)

    def show_time(self, time: str, reason: str = "") -> None:
        """Suggest a time; ``reason`` explains it."""
        self._time = time
        self.setText(f"{self._why} {time}")
        self.setAccessibleName(self.text())
        self.setAccessibleDescription(reason)
        self.setToolTip(reason)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        words = sum(QFontMetrics(font).horizontalAdvance(text) for font, text in self._parts())
        icon = theme.current().grown(_ICON) + _GAP if self._icon_name else 0
        return QSize(words + _GAP + icon + 2 * _PADDING, theme.current().metrics.chip)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, area, ring = QPainter(self), QRectF(self.rect()), shows_focus(self)
        fill = "sunken" if self.isDown() or self.underMouse() else "surface"
        line, width = ("accent", 2) if ring else ("line_strong", 1)
        rounded(painter, area, area.height() / 2, fill=fill, line=line, width=width, dashed=not ring)
        x = _PADDING
        if self._icon_name:
            edge = theme.current().grown(_ICON)
            spot = mirrored(self, QRect(x, 0, edge, self.height()))
            draw_icon(painter, QRectF(spot), self._icon_name, "text2")
            x += edge + _GAP
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
        for (font, text), color in zip(self._parts(), ("text2", "text"), strict=True):
            painter.setFont(font)
            painter.setPen(theme.current().color(color))
            long = QFontMetrics(font).horizontalAdvance(text)
            painter.drawText(mirrored(self, QRect(x, 0, long + 2, self.height())), flags, text)
            x += long + _GAP

    def _parts(self) -> tuple[tuple[QFont, str], tuple[QFont, str]]:
        look = theme.current()
        return (look.font("card"), self._why), (look.font("card", QFont.Weight.Medium), self._time)

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()


class TimeChips(QWidget):
    """The next free posting time, and the next best time.

    Each is hidden without a suggestion, or once it's selected.
    """

    taken = Signal(object)
    """The time in milliseconds since 1970 UTC."""

    def __init__(self, workspace: Workspace, zone: ZoneInfo, now: Clock) -> None:
        super().__init__()
        self._workspace = workspace
        self._slots: WeeklySlots = workspace.slots
        self._posts: Timeline = workspace.posts
        self._clock, self._now = WallClock(zone), now
        self._accounts: tuple[str, ...] = ()
        self._at: int | None = None
        self._offered: dict[TimeChip, int] = {}
        self._found: Mapping[str, BestTimes] | None = None
        self._scope = TaskScope(self, ignore)  # without the numbers the slot is offered all the same
        self.next_free, self.best = (
            TimeChip(tr("Next free")),
            TimeChip(trc("time to post", "Best"), "chart-line"),
        )
        row = FlowLayout(self, gap=6)
        for chip in (self.next_free, self.best):
            chip.clicked.connect(partial(self._take, chip))
            row.addWidget(chip)
        self.hide()

    def show_for(self, account_keys: Sequence[str], at: int | None) -> None:
        """Suggest times for these accounts; ``at`` is the selected time."""
        self._accounts, self._at = tuple(account_keys), at
        if self._found is None:
            self._found = {}
            self._scope.start(self._find_best())
        self._show(self._found)

    def _show(self, found: Mapping[str, BestTimes]) -> None:
        free = next_free_slots(
            self._slots.all(), self._clock, self._posts, after=self._now(), accounts=frozenset(self._accounts)
        )
        slot = free[0] if free and free[0].at != self._at else None
        best = next_best(found, self._accounts, self._clock.zone, self._now())
        if best is not None and (
            best.at == self._at or (slot is not None and self._is_same_hour(slot, best))
        ):
            best = None
        self._offered.clear()
        if slot is not None:
            self._offer(self.next_free, slot.at, self._reason_of(slot, found))
        if best is not None:
            self._offer(self.best, best.at, self._reason(best.time, found[best.account_key]))
        for chip in (self.next_free, self.best):
            chip.setVisible(chip in self._offered)
        self.setVisible(bool(self._offered))

    def _offer(self, chip: TimeChip, at: int, why: str) -> None:
        moment, now = in_zone(at, self._clock.zone), self._now()
        is_soon = at - now < _WEEK_MS
        chip.show_time(f"{weekday_short(moment)} {clock(moment)}" if is_soon else day_and_time(moment), why)
        self._offered[chip] = at

    def _take(self, chip: TimeChip) -> None:
        if chip in self._offered:
            self.taken.emit(self._offered[chip])

    def _is_same_hour(self, slot: SlotTime, best: BestMoment) -> bool:
        day, minute = self._clock.place(slot.at)
        return (weekday(day), minute // 60) == (best.time.weekday, best.time.hour)

    def _reason_of(self, slot: SlotTime, found: Mapping[str, BestTimes]) -> str:
        """Return why a slot is one of the best times, or ""."""
        day, minute = self._clock.place(slot.at)
        known, hour = found.get(slot.account_key, BestTimes()), (weekday(day), minute // 60)
        best = next((one for one in known.times if (one.weekday, one.hour) == hour), None)
        return self._reason(best, known) if best is not None else ""

    def _reason(self, best: BestTime, found: BestTimes) -> str:
        return tr("A best time: {reason}, {basis}", reason=reason(best, found), basis=basis(found))

    async def _find_best(self) -> None:
        self._found = await self._workspace.analytics.best_times(self._clock.zone)
        self._show(self._found)
