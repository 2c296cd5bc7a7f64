"""Two small charts: daily calls, and storage with a forecast."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.desktop.charts.line_plot import LinePlot
from app.desktop.charts.paint import (
    FINE_LINE,
    Plane,
    draw_area,
    draw_dot,
    draw_level,
    draw_line,
    draw_upright,
)
from app.desktop.charts.scale import Axis, Name, Scale, Stroke, names_with_room, thinned
from app.desktop.theme import theme
from app.desktop.usage.wording import short_day
from app.language import data_size, month_short, number, tr, trn
from app.workspace.time.wall import DAY_MS
from app.workspace.usage import DayCalls, Reading

_FOOT: Final = 20
_BETWEEN_NAMES: Final = 6


class CallsChart(LinePlot):
    """A line of past days, ending with today's calls so far."""

    def __init__(self) -> None:
        super().__init__(tr("Calls per day"), number)
        self._days: Sequence[DayCalls] = ()
        self.asked.connect(self._tell)
        theme.follow(self._fit)

    def sizeHint(self) -> QSize:
        return self.minimumSize()  # cards next to each other leave it more

    def show_days(self, days: Sequence[DayCalls], last: date | None) -> None:
        """Show days up to today; the axis ends with the period."""
        self._days = days
        over = [None if day.so_far else day.calls for day in days]
        so_far = [day.calls if day.so_far else None for day in days]
        strokes = [
            Stroke(tr("Calls per day"), "text2", over, is_filled=True),
            Stroke(tr("so far"), "text2", so_far, is_quiet=True),
        ]
        first, today = days[0].day, days[-1]
        places = max(1, (max(last or today.day, today.day) - first).days) + 1
        note = (number(today.calls), tr("so far")) if today.so_far and today.calls is not None else None
        names = [(place, _name(first, place)) for place in (0, *range(7, places - 5, 7), places - 1)]
        told = [f"{short_day(day.day)}: {number(day.calls)}" for day in days if day.calls is not None]
        self.show_lines(
            strokes,
            Axis(places, names, today=len(days) - 1, asked=len(days), note=note),
            summary="; ".join(told),
        )

    def spoken(self) -> str:
        """Return the description of the current day; empty for none."""
        return "" if self.place is None else _told(self._days[self.place])

    def _tell(self, place: int | None) -> None:
        if place is not None:
            self.tell(_told(self._days[place]))

    def _fit(self) -> None:
        self.setMinimumHeight(round(150 * theme.current().scale))


class GrowthChart(QWidget):
    """The storage of the last weeks, and a straight line to the day it will be full."""

    def __init__(self) -> None:
        super().__init__()
        self._readings: Sequence[Reading] = ()
        self._cap, self._full_at = 1, 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.follow(self._fit)

    def show_growth(self, readings: Sequence[Reading], cap_bytes: int, full_at: int) -> None:
        """``full_at`` is in milliseconds, 0 without a forecast."""
        self._readings, self._cap, self._full_at = readings, max(1, cap_bytes), full_at
        self.setAccessibleName(tr("Storage over time"))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint limit, past, today and forecast."""
        if not self._readings:
            return
        look, painter, plane = theme.current(), QPainter(self), self._plane()
        left, right, bottom, top = plane.across.start, plane.across.end, plane.up.start, plane.up.end
        painter.setPen(QPen(look.color("text3"), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(left, top), QPointF(right, top))
        draw_level(painter, bottom, left, right, "line")
        points = thinned([plane.point(one.at, min(one.used_bytes, self._cap)) for one in self._readings])
        now = points[-1]
        draw_area(painter, points, bottom, "text2")
        draw_line(painter, points, "text2", FINE_LINE)
        draw_upright(painter, now[0], top, bottom, "rubric")
        if self._full_at:
            draw_line(painter, (now, plane.point(self._full_at, self._cap)), "text2", 1.2, is_dashed=True)
        draw_dot(painter, now, "text")
        self._paint_words(painter, plane, now[0])

    def _paint_words(self, painter: QPainter, plane: Plane, now: float) -> None:
        look, (across, up) = theme.current(), plane
        painter.setFont(look.font("small"))
        painter.setPen(look.color("text3"))
        metrics = painter.fontMetrics()
        cap = QRectF(across.end + 8, up.end - metrics.height() / 2, self.width(), metrics.height())
        painter.drawText(
            cap, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, data_size(self._cap)
        )
        today, baseline = self._name(tr("Today"), now, self._strong), self.height() - metrics.descent() - 2
        ends = [self._name(_month(self._readings[0].at), across.start, metrics)]
        if self._full_at:
            ends.append(self._name(_month(self._full_at), across.end, metrics))
        taken = today.middle - today.width / 2, today.middle + today.width / 2
        for name in names_with_room(ends, _BETWEEN_NAMES, taken):
            painter.drawText(QPointF(name.middle - name.width / 2, baseline), name.words)
        painter.setFont(look.font("small", QFont.Weight.DemiBold))
        painter.setPen(look.color("rubric"))
        painter.drawText(QPointF(taken[0], baseline), today.words)

    @property
    def _strong(self) -> QFontMetrics:
        return QFontMetrics(theme.current().font("small", QFont.Weight.DemiBold))

    def _name(self, words: str, middle: float, metrics: QFontMetrics) -> Name:
        width = metrics.horizontalAdvance(words) + 1
        return Name(0, words, min(max(middle, width / 2), self.width() - width / 2), width)

    def _plane(self) -> Plane:
        look = theme.current()
        right = QFontMetrics(look.font("small")).horizontalAdvance(data_size(self._cap)) + 10
        first, last = self._readings[0].at, max(self._full_at, self._readings[-1].at + DAY_MS)
        return Plane(
            Scale(first, last, 8, self.width() - right),
            Scale(0, self._cap, self.height() - look.grown(_FOOT) - look.grown(4), look.grown(12)),
        )

    def _fit(self) -> None:
        self.setMinimumSize(QSize(round(220 * theme.current().scale), round(96 * theme.current().scale)))
        self.update()


def _name(first: date, place: int) -> str:
    """Return the full date for the first label and each new month, otherwise the day's number."""
    day = date.fromordinal(first.toordinal() + place)
    return short_day(day) if place == 0 or day.day == 1 else str(day.day)


def _told(day: DayCalls) -> str:
    if day.calls is None:
        return tr("{day}: no data", day=short_day(day.day))
    if day.so_far:
        return trn("{day}: {n} call so far", "{day}: {n} calls so far", day.calls, day=short_day(day.day))
    return trn("{day}: {n} call", "{day}: {n} calls", day.calls, day=short_day(day.day))


def _month(at: int) -> str:
    return month_short(datetime.fromtimestamp(at / 1_000, UTC))
