"""A line chart with its lines, hover card, keyboard navigation and accessible description."""

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.desktop.charts.hover import HoverCard, HoverRow
from app.desktop.charts.paint import Plane, draw_dot, draw_level, draw_stroke, draw_upright
from app.desktop.charts.scale import Axis, Name, Scale, Stroke, names_with_room, nearest, ticks_around
from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded
from app.desktop.widgets.screen_reader import spoken_as
from app.language import tr

_TOP, _RIGHT, _EDGE = 10, 8, 2
_NOTE_ROOM: Final = 26
"""Space above the lines for today's number."""
_FOOT: Final = 24
_FROM_LINES: Final = 6
_BESIDE_TODAY: Final = 8
_FROM_END: Final = 4
_BETWEEN_NAMES: Final = 3
"""Minimum space on each side of a name below the axis."""
_MARKS_AT: Final = 0.045
"""How far marks are below the axis, as a share of the height."""
_MARK, _ASKED = 5.0, 9.0
_STEPS: Final = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


@spoken_as(QAccessible.Role.Chart)
class LinePlot(QWidget):
    """Lines over consecutive places. The mouse and arrow keys inspect one; ``tell`` shows its content."""

    asked = Signal(object)
    """The inspected place; None for none."""
    moved = Signal()
    """The positions of values have changed."""

    def __init__(self, name: str, number_words: Callable[[int], str]) -> None:
        """``number_words`` formats the numbers of the axis."""
        super().__init__()
        self._number_words = number_words
        self._strokes: Sequence[Stroke] = ()
        self._axis = Axis(1, ())
        self._place: int | None = None
        self._ticks = ticks_around(())
        self._plane = Plane(Scale(0, 1, 0, 1), Scale(0, 1, 1, 0))
        self._summary = ""
        self._still: QPixmap | None = None
        self._hover = HoverCard(self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)
        theme.follow(self._arrange)

    def sizeHint(self) -> QSize:
        return QSize(320, 180)

    def show_lines(self, strokes: Sequence[Stroke], below: Axis, summary: str = "") -> None:
        """Show these lines. ``summary`` is the accessible description while no place is inspected."""
        self._strokes, self._axis, self._summary = strokes, below, summary
        self._ticks = ticks_around(one.values for one in strokes)
        self._ask(None)
        self.setAccessibleDescription(summary)
        self._arrange()

    def tell(self, title: str, detail: str = "", rows: Sequence[HoverRow] = ()) -> None:
        """Show this at the inspected place."""
        if self._place is not None:
            self._hover.tell(title, detail, rows)
            room = self.rect()
            room.setLeft(round(self._plane.across.start))  # values on the axis stay readable
            self._hover.show_beside(round(self.x_of(self._place)), room)
            self.setAccessibleDescription(self._hover.spoken())

    @property
    def place(self) -> int | None:
        """The inspected place."""
        return self._place

    @property
    def foot(self) -> float:
        """The bottom of the plane of lines, in pixels from the top; names are below."""
        return self._plane.up.start

    def x_of(self, place: int) -> float:
        """Return the position of a place, in pixels from the left."""
        return self._plane.across.at(place)

    def y_of(self, value: float) -> float:
        """Return the position of a value, in pixels from the top."""
        return self._plane.up.at(value)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def leaveEvent(self, _event: QEvent) -> None:
        self._ask(None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._ask(None)
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Inspect the place nearest to the mouse."""
        at = event.position()
        is_inside = self.rect().toRectF().contains(at)
        self._ask(nearest(self._plane.across, at.x(), self._places_asked) if is_inside else None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move from place to place."""
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None or not self._strokes:
            super().keyPressEvent(event)
            return
        last = max((one.last or 0 for one in self._strokes), default=0)
        start = last + 1 if self._place is None else self._place
        self._ask(min(max(start + step, 0), self._places_asked - 1))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint numbers, names, lines, today, and the inspected place."""
        painter = QPainter(self)
        if self.hasFocus():
            rounded(painter, QRectF(self.rect()), theme.current().metrics.radius, line="accent", width=2)
        self._paint_numbers(painter)
        self._paint_names(painter)
        if self._place is None:
            self._paint_lines(painter)
            return
        # The lines don't change while places are inspected one after the other.
        ratio = painter.device().devicePixelRatio()
        if self._still is None or self._still.devicePixelRatio() != ratio:
            self._still = self._lines_as_picture(ratio)
        painter.drawPixmap(0, 0, self._still)
        self._paint_asked(painter)

    def _lines_as_picture(self, ratio: float) -> QPixmap:
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        self._paint_lines(painter)
        painter.end()
        return picture

    @property
    def _places_asked(self) -> int:
        return self._axis.places if self._axis.asked is None else self._axis.asked

    def _paint_numbers(self, painter: QPainter) -> None:
        look, (across, up) = theme.current(), self._plane
        painter.setFont(look.font("small"))
        painter.setPen(look.color("text3"))
        height = painter.fontMetrics().height()
        side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        for tick in self._ticks:
            y = up.at(tick)
            draw_level(painter, y, across.start, across.end, "line2")
            place = QRectF(0, y - height / 2, across.start - _FROM_LINES, height)
            painter.drawText(place, side, self._number_words(tick))

    def _paint_names(self, painter: QPainter) -> None:
        """Paint the names that overlap neither each other nor today's, which is always shown."""
        look, taken = theme.current(), None
        if self._axis.today is not None:
            painter.setFont(look.font("small", QFont.Weight.DemiBold))
            painter.setPen(look.color("rubric"))
            width = painter.fontMetrics().horizontalAdvance(tr("Today")) + 1
            left = self._inside(self.x_of(self._axis.today), width)
            painter.drawText(QPointF(left, self._baseline), tr("Today"))
            taken = left, left + width
            self._paint_note(painter, self.x_of(self._axis.today))
        painter.setFont(look.font("small"))
        painter.setPen(look.color("text3"))
        widths = painter.fontMetrics().horizontalAdvance
        named = (Name(place, words, self.x_of(place), widths(words)) for place, words in self._axis.names)
        for name in names_with_room(named, _BETWEEN_NAMES, taken):
            painter.drawText(QPointF(self._inside(name.middle, name.width), self._baseline), name.words)

    def _inside(self, middle: float, width: float) -> float:
        """Return the left edge of a text centred at a position, kept within the focus ring."""
        return min(max(2 * _EDGE, middle - width / 2), self.width() - width - 2 * _EDGE)

    @property
    def _baseline(self) -> float:
        return self.foot + _FROM_LINES + QFontMetrics(theme.current().font("small")).ascent()

    def _paint_lines(self, painter: QPainter) -> None:
        (across, up), today = self._plane, self._axis.today
        if today is not None:
            draw_upright(painter, self.x_of(today), up.end, up.start, "rubric")
        painter.save()
        painter.setClipRect(QRectF(across.start, 0, self.width() - across.start, up.start + 1))
        for stroke in self._strokes:
            draw_stroke(painter, self._plane, stroke)
        for place, color in self._axis.marks:
            draw_dot(painter, (self.x_of(place), self.y_of(self._marks_at)), color, _MARK)
        for stroke in self._strokes:
            for place in () if stroke.is_quiet else stroke.dots:
                self._paint_dot(painter, stroke, place)
        painter.restore()
        self._paint_ends(painter)

    def _paint_ends(self, painter: QPainter) -> None:
        """Write what lines are above their ends, or below where there's no room."""
        look = theme.current()
        painter.setFont(look.font("small"))
        painter.setPen(look.color("text2"))
        for words, place in self.ends():
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)

    def ends(self) -> list[tuple[str, QRectF]]:
        """Return what is written at the ends of lines, and where; the highest line first."""
        metrics, (across, up) = QFontMetrics(theme.current().font("small")), self._plane
        ending = [
            (one.end, self._plane.point(last, value))
            for one in self._strokes
            if one.end and (last := one.last) is not None and (value := one.value(last)) is not None
        ]
        found: list[tuple[str, QRectF]] = []
        for words, point in sorted(ending, key=lambda one: one[1][1]):
            width, height = metrics.horizontalAdvance(words) + 2, metrics.height()
            left, y = max(across.start + 2, point[0] - width), point[1]
            places = [QRectF(left, top, width, height) for top in (y - height - _FROM_END, y + _FROM_END)]
            free = (
                one
                for one in places
                if one.top() >= up.end - height / 2
                and one.bottom() <= up.start
                and not any(one.intersects(taken) for _, taken in found)
            )
            if (place := next(free, None)) is not None:
                found.append((words, place))
        return found

    def _paint_note(self, painter: QPainter, today: float) -> None:
        """Paint today's number so far next to its line, on the side where it fits."""
        if self._axis.note is None:
            return
        look, (value, words) = theme.current(), self._axis.note
        strong = look.font("clock", QFont.Weight.DemiBold)
        lines = ((strong, value, "text"), (look.font("small"), words, "text3"))
        width = max(QFontMetrics(font).horizontalAdvance(told) for font, told, _ in lines) + 2
        is_after = today + _BESIDE_TODAY + width <= self.width()
        left = today + _BESIDE_TODAY if is_after else today - _BESIDE_TODAY - width
        side = Qt.AlignmentFlag.AlignLeft if is_after else Qt.AlignmentFlag.AlignRight
        top = self._plane.up.end - 4
        for font, told, ink in lines:
            height = QFontMetrics(font).height()
            painter.setFont(font)
            painter.setPen(look.color(ink))
            painter.drawText(QRectF(left, top, width, height), Qt.AlignmentFlag.AlignVCenter | side, told)
            top += height

    def _paint_asked(self, painter: QPainter) -> None:
        """Mark the inspected place, and each line's value there."""
        if self._place is None:
            return
        draw_upright(painter, self.x_of(self._place), self._plane.up.end, self.foot, "text3")
        for stroke in self._strokes:
            self._paint_dot(painter, stroke, self._place, _ASKED, "surface")

    def _paint_dot(
        self, painter: QPainter, stroke: Stroke, place: int, size: float = 6.0, ring: str | None = None
    ) -> None:
        value = stroke.value(place)
        if value is not None:
            draw_dot(painter, self._plane.point(place, value), stroke.color, size, ring)

    @property
    def _marks_at(self) -> float:
        return self._ticks[0] - (self._ticks[-1] - self._ticks[0]) * _MARKS_AT

    def _ask(self, place: int | None) -> None:
        if place == self._place:
            return
        self._place = place
        if place is None:
            self._still = None
            self._hover.hide()
            self.setAccessibleDescription(self._summary)
        self.update()
        self.asked.emit(place)

    def _arrange(self) -> None:
        """Compute the positions of places and values, and draw the lines in the current colours."""
        metrics, height = QFontMetrics(theme.current().font("small")), self._ticks[-1] - self._ticks[0]
        numbers = max(metrics.horizontalAdvance(self._number_words(tick)) for tick in self._ticks)
        foot = max(_FOOT, metrics.height() + 8) + _EDGE
        top = theme.current().grown(_NOTE_ROOM) if self._axis.note else _TOP
        low = self._ticks[0] - height * (2 * _MARKS_AT if self._axis.marks else 0.01)
        right = self.width() - _RIGHT
        self._plane = Plane(
            Scale(-0.2, max(1, self._axis.places) - 0.8, min(numbers + 10 + _EDGE, right), right),
            Scale(low, self._ticks[-1] + height * 0.02, max(top, self.height() - foot), top),
        )
        self._still = None
        self.update()
        self.moved.emit()
