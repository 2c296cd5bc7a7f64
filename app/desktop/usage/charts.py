"""Two small charts: the calls of each day, and the storage with its way to the end."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from itertools import groupby
from typing import Final

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.desktop.theme import theme
from app.desktop.usage.actions import axis
from app.desktop.usage.wording import short_day
from app.desktop.widgets.painting import rounded
from app.desktop.words import data_size
from app.language import month_short, number, tr, trn
from app.workspace.usage.forecast import DAY_MS, DayCalls
from app.workspace.usage.reading import Reading

_FOOT: Final = 20
_DOT: Final = 3.0
_SHADE: Final = 0.08
_MIDDLE = Qt.AlignmentFlag.AlignCenter


def _shade() -> QColor:
    """What lies below a line: lighter than the ground where that is dark, and the numbers' lines show."""
    color = theme.current().color("text2")
    color.setAlphaF(_SHADE)
    return color


def _foot() -> int:
    """The height of the words below a chart."""
    return theme.current().grown(_FOOT)


class CallsChart(QWidget):
    """A line through the days that are known; the arrows and the mouse ask for one of them."""

    def __init__(self) -> None:
        super().__init__()
        self._days: Sequence[DayCalls] = ()
        self._last: date | None = None
        self._asked: int | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Calls per day"))
        theme.follow(self._fit)

    def show_days(self, days: Sequence[DayCalls], last: date | None) -> None:
        """Show these days, up to today; the axis goes on to the last day of the period."""
        self._days, self._last, self._asked = days, last, None
        told = [f"{short_day(day.day)}: {number(day.calls)}" for day in days if day.calls is not None]
        self.setAccessibleDescription("; ".join(told))
        self.update()

    def told(self) -> str:
        """What is said of the day that is asked for; empty for none."""
        return "" if self._asked is None else _told(self._days[self._asked])

    def leaveEvent(self, _event: QEvent) -> None:
        self._ask(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._ask(None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Ask for the day below the mouse."""
        if not self._days:
            return
        nearest = min(range(len(self._days)), key=lambda row: abs(self._x(row) - event.position().x()))
        self._ask(nearest)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk from day to day."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None or not self._days:
            super().keyPressEvent(event)
            return
        start = len(self._days) if self._asked is None else self._asked
        self._ask(min(max(start + step, 0), len(self._days) - 1))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint axes, line, today, and the day that is asked for."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus():
            rounded(painter, QRectF(self.rect()), theme.current().metrics.radius, line="accent", width=2)
        if not self._days:
            return
        self._paint_numbers(painter)
        self._paint_line(painter)
        self._paint_days(painter)
        self._paint_today(painter)
        self._paint_told(painter)

    def _paint_numbers(self, painter: QPainter) -> None:
        look, box = theme.current(), self._box()
        painter.setFont(look.font("small"))
        for tick in self._ticks():
            y = round(self._y(tick))
            painter.fillRect(QRectF(box.left(), y, box.width(), 1), look.color("line2" if tick else "line"))
            painter.setPen(look.color("text3"))
            high = painter.fontMetrics().height()
            place = QRectF(0, y - high / 2, box.left() - 8, high)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, number(tick))

    def _paint_line(self, painter: QPainter) -> None:
        look, base = theme.current(), self._box().bottom()
        for is_known, rows in groupby(range(len(self._days)), self._is_whole):
            places = list(rows)
            if not is_known:
                continue
            line = [QPointF(self._x(row), self._y(self._days[row].calls or 0)) for row in places]
            ends = QPointF(line[-1].x(), base), QPointF(line[0].x(), base)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(_shade())
            painter.drawPolygon(QPolygonF([*line, *ends]))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(look.color("text2"), 1.5))
            painter.drawPolyline(QPolygonF(line))
            if len(places) == 1:
                self._dot(painter, places[0])
        whole = [row for row in range(len(self._days)) if self._is_whole(row)]
        if whole:
            self._dot(painter, whole[-1])

    def _paint_days(self, painter: QPainter) -> None:
        """The first, every seventh and the last day below the line; today in red."""
        look, box = theme.current(), self._box()
        today = len(self._days) - 1
        x = self._x(today)
        painter.fillRect(QRectF(x, box.top() - 4, 1, box.height() + 4), look.color("rubric"))
        painter.setFont(look.font("small", look.font("strong").weight()))
        self._write(painter, x, tr("Today"), "rubric")
        painter.setFont(look.font("small"))
        first = self._days[0].day
        for row in (0, *range(7, self._span() - 4, 7), self._span()):
            if abs(self._x(row) - x) > 34 * look.scale:
                self._write(painter, self._x(row), self._label(first, row), "text3")

    def _paint_today(self, painter: QPainter) -> None:
        """What today came to so far, beside its line: the curve ends with the last whole day."""
        today = self._days[-1]
        if today.calls is None or not today.so_far:
            return
        look, x = theme.current(), self._x(len(self._days) - 1)
        count, words = look.font("clock", look.font("strong").weight()), look.font("small")
        lines = ((count, number(today.calls), "text"), (words, tr("so far"), "text3"))
        width = max(QFontMetrics(font).horizontalAdvance(said) for font, said, _ink in lines) + 2
        is_after = x + 8 + width <= self.width()
        box = QRectF(x + 8 if is_after else x - 8 - width, self._box().top() - 4, width, 0)
        side = Qt.AlignmentFlag.AlignLeft if is_after else Qt.AlignmentFlag.AlignRight
        for font, said, ink in lines:
            box.setHeight(QFontMetrics(font).height())
            painter.setFont(font)
            painter.setPen(look.color(ink))
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | side, said)
            box.translate(0, box.height())

    def _label(self, first: date, row: int) -> str:
        that = date.fromordinal(first.toordinal() + row)
        return short_day(that) if row == 0 or that.day == 1 else str(that.day)

    def _write(self, painter: QPainter, x: float, words: str, ink: str) -> None:
        painter.setPen(theme.current().color(ink))
        width = QFontMetrics(painter.font()).horizontalAdvance(words) + 2
        left = min(max(x - width / 2, 0), self.width() - width)
        painter.drawText(QRectF(left, self.height() - _foot(), width, _foot()), _MIDDLE, words)

    def _paint_told(self, painter: QPainter) -> None:
        if self._asked is None:
            return
        look = theme.current()
        if self._days[self._asked].calls is not None:
            self._dot(painter, self._asked)
        painter.setFont(look.font("small"))
        metrics = QFontMetrics(painter.font())
        width = metrics.horizontalAdvance(self.told()) + 16
        left = min(max(self._x(self._asked) - width / 2, 0), self.width() - width)
        box = QRectF(left, 0, width, metrics.height() + 8)
        rounded(painter, box, 5, fill="tooltip")
        painter.setPen(look.color("on_tooltip"))
        painter.drawText(box, _MIDDLE, self.told())

    def _dot(self, painter: QPainter, row: int) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.current().color("text"))
        painter.drawEllipse(QPointF(self._x(row), self._y(self._days[row].calls or 0)), _DOT, _DOT)

    def _ask(self, row: int | None) -> None:
        if row != self._asked:
            self._asked = row
            self.update()

    def _is_whole(self, row: int) -> bool:
        return self._days[row].calls is not None and not self._days[row].so_far

    def _ticks(self) -> list[int]:
        return axis(max((day.calls or 0 for day in self._days), default=0))

    def _span(self) -> int:
        """Days from the first to the last on the axis."""
        first, today = self._days[0].day, self._days[-1].day
        return max(1, (max(self._last or today, today) - first).days)

    def _box(self) -> QRectF:
        metrics = QFontMetrics(theme.current().font("small"))
        left = metrics.horizontalAdvance(number(self._ticks()[-1])) + 12
        below = _foot() + theme.current().grown(4)
        above = theme.current().grown(26)
        return QRectF(left, above, self.width() - left - 8, self.height() - above - below)

    def _x(self, row: int) -> float:
        box = self._box()
        return box.left() + box.width() * row / self._span()

    def _y(self, calls: int) -> float:
        box = self._box()
        return box.bottom() - box.height() * calls / self._ticks()[-1]

    def _fit(self) -> None:
        self.setMinimumHeight(round(150 * theme.current().scale))
        self.update()


class GrowthChart(QWidget):
    """The storage of the last weeks, and the straight way to the day on which it is full."""

    def __init__(self) -> None:
        super().__init__()
        self._readings: Sequence[Reading] = ()
        self._cap, self._full_at = 1, 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.follow(self._fit)

    def show_growth(self, readings: Sequence[Reading], cap_bytes: int, full_at: int) -> None:
        """``full_at`` is in milliseconds, 0 where no end is to be seen."""
        self._readings, self._cap, self._full_at = readings, max(1, cap_bytes), full_at
        self.setAccessibleName(tr("Storage over time"))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the cap, what was, today, and what comes."""
        if not self._readings:
            return
        look, painter, box = theme.current(), QPainter(self), self._box()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.color("text3"), 1, Qt.PenStyle.DotLine))
        painter.drawLine(box.topLeft(), box.topRight())
        painter.fillRect(QRectF(box.left(), box.bottom(), box.width(), 1), look.color("line"))
        line = [self._point(one.at, one.used_bytes) for one in self._readings]
        ends = QPointF(line[-1].x(), box.bottom()), QPointF(line[0].x(), box.bottom())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_shade())
        painter.drawPolygon(QPolygonF([*line, *ends]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(look.color("text2"), 1.5))
        painter.drawPolyline(QPolygonF(line))
        now = line[-1]
        painter.fillRect(QRectF(now.x(), box.top(), 1, box.height()), look.color("rubric"))
        if self._full_at:
            painter.setPen(QPen(look.color("text2"), 1.2, Qt.PenStyle.DashLine))
            painter.drawLine(now, self._point(self._full_at, self._cap))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.color("text"))
        painter.drawEllipse(now, _DOT, _DOT)
        self._paint_words(painter, now.x())

    def _paint_words(self, painter: QPainter, now: float) -> None:
        look, box = theme.current(), self._box()
        painter.setFont(look.font("small"))
        painter.setPen(look.color("text3"))
        high = painter.fontMetrics().height()
        cap = QRectF(box.right() + 8, box.top() - high / 2, self.width() - box.right() - 8, high)
        start = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(cap, start, data_size(self._cap))
        self._write(painter, box.left(), _month(self._readings[0].at), "text3", now)
        if self._full_at:
            self._write(painter, box.right(), _month(self._full_at), "text3", now)
        painter.setFont(look.font("small", look.font("strong").weight()))
        self._write(painter, now, tr("Today"), "rubric", None)

    def _write(self, painter: QPainter, x: float, words: str, ink: str, beside: float | None) -> None:
        if beside is not None and abs(x - beside) < 44 * theme.current().scale:
            return
        painter.setPen(theme.current().color(ink))
        width = QFontMetrics(painter.font()).horizontalAdvance(words) + 2
        left = min(max(x - width / 2, 0), self.width() - width)
        painter.drawText(QRectF(left, self.height() - _foot(), width, _foot()), _MIDDLE, words)

    def _box(self) -> QRectF:
        room = QFontMetrics(theme.current().font("small")).horizontalAdvance(data_size(self._cap)) + 10
        above, below = theme.current().grown(12), _foot() + theme.current().grown(4)
        return QRectF(8, above, self.width() - room - 8, self.height() - above - below)

    def _point(self, at: int, size: int) -> QPointF:
        box, first = self._box(), self._readings[0].at
        last = max(self._full_at, self._readings[-1].at + DAY_MS)
        share = min(1.0, size / self._cap)
        return QPointF(
            box.left() + box.width() * (at - first) / max(1, last - first),
            box.bottom() - box.height() * share,
        )

    def _fit(self) -> None:
        self.setMinimumSize(QSize(round(220 * theme.current().scale), round(96 * theme.current().scale)))
        self.update()


class Segments(QWidget):
    """A bar in several shades: shares of a whole, in their order."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: Sequence[tuple[float, str]] = ()
        self.setFixedHeight(12)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_parts(self, parts: Sequence[tuple[float, str]]) -> None:
        """Shares from 0 to 1, each with the role of its colour."""
        self._parts = parts
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the track and its parts, from the side where reading begins."""
        painter = QPainter(self)
        rounded(painter, QRectF(self.rect()), 3, fill="line2")
        x = 0.0
        for share, ink in self._parts:
            width = max(2.0, share * self.width()) if share > 0 else 0.0
            box = QRect(QPoint(round(x), 0), QSize(max(1, round(width) - 1), self.height()))
            if width:
                if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
                    box.moveRight(self.width() - 1 - round(x))
                rounded(painter, QRectF(box), 2, fill=ink)
            x += width


def _told(day: DayCalls) -> str:
    if day.calls is None:
        return tr("{day}: not read", day=short_day(day.day))
    if day.so_far:
        return trn("{day}: {n} call so far", "{day}: {n} calls so far", day.calls, day=short_day(day.day))
    return trn("{day}: {n} call", "{day}: {n} calls", day.calls, day=short_day(day.day))


def _month(at: int) -> str:
    return month_short(datetime.fromtimestamp(at / 1_000, UTC))
