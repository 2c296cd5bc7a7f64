"""Line charts by pyqtgraph in our own look. The one module that imports it, when the pane is first opened."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.desktop.analytics.hover import HoverCard, HoverRow
from app.desktop.analytics.wording import short_number
from app.desktop.theme import theme
from app.desktop.usage.actions import axis
from app.desktop.widgets import Label
from app.desktop.widgets.painting import rounded

_FOOT: Final = 24
_BETWEEN_NAMES = 3
"""Least room on each side of a name below the axis, in pixels."""

_MARKS_AT: Final = 0.045
"""Of the height, below the axis."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line. ``color`` is a role or `#RRGGBB`; NaN leaves a gap."""

    name: str
    color: str
    values: NDArray[np.float64]
    is_dashed: bool = False
    is_filled: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """What stands below: how many places there are, some of their names, the place of today, and the marks.

    ``marks`` are places with colours.
    """

    places: int
    names: Sequence[tuple[int, str]]
    today: int | None = None
    marks: Sequence[tuple[int, str]] = ()


class LinePlot(QWidget):
    """Lines over places in a row. The mouse and the arrows ask for one; ``tell`` says what stands there."""

    asked = Signal(object)
    """The place that is asked for; None for none."""
    moved = Signal()
    """Values stand elsewhere now."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._strokes: Sequence[Stroke] = ()
        self._axis = Axis(1, ())
        self._place: int | None = None
        self._ticks: list[int] = [0, 1]
        self._view = pg.PlotWidget()
        self._item = self._view.getPlotItem()
        self._today = Label("Today", "small", "rubric", weight=QFont.Weight.DemiBold, parent=self)
        self._hover = HoverCard(self)
        self._hover_line: Any = None
        self._hover_dots: Any = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)
        self._prepare()
        theme.follow(self.draw)

    def sizeHint(self) -> QSize:
        return QSize(320, 180)

    def show_lines(self, strokes: Sequence[Stroke], below: Axis) -> None:
        """Show these lines in place of those that were there."""
        self._strokes, self._axis = strokes, below
        self._ask(None)
        self.draw()

    def tell(self, title: str, detail: str, rows: Sequence[HoverRow]) -> None:
        """Say this beside the place that is asked for."""
        if self._place is not None:
            self._hover.tell(title, detail, rows)
            self._hover.stand_beside(self._x_of(self._place), self.rect())
            self.setAccessibleDescription(self._hover.spoken())

    @property
    def place(self) -> int | None:
        """The place that is asked for."""
        return self._place

    def y_of(self, value: float) -> float:
        """Where a value stands, in pixels from the top."""
        return self._at(0, value).y()

    def draw(self) -> None:
        """Draw everything anew, in the colours in force."""
        look = theme.current()
        self._item.clear()
        self._view.setBackground(look.color("surface"))
        self._scale()
        self._draw_grid()
        if self._axis.today is not None:
            pen = pg.mkPen(look.color("rubric"), width=1)
            self._item.addItem(pg.InfiniteLine(self._axis.today, 90, pen=pen))
        for stroke in self._strokes:
            self._draw_stroke(stroke)
        self._draw_dots()
        self._draw_hover()
        self._move()

    def leaveEvent(self, _event: QEvent) -> None:
        self._ask(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._ask(None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Ask for the place nearest to the mouse."""
        box = self._item.getViewBox()
        scene = self._view.mapToScene(self._view.mapFrom(self, event.position().toPoint()))
        inside = self.rect().toRectF().contains(event.position())
        place = round(box.mapSceneToView(scene).x()) if inside else -1
        self._ask(place if 0 <= place < self._axis.places else None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk from place to place."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None or not self._strokes:
            super().keyPressEvent(event)
            return
        start = self._last() + 1 if self._place is None else self._place
        self._ask(min(max(start + step, 0), self._axis.places - 1))

    def _last(self) -> int:
        ends = [int(np.flatnonzero(~np.isnan(one.values))[-1]) for one in self._strokes if _has_any(one)]
        return max(ends, default=0)

    def _ask(self, place: int | None) -> None:
        if place == self._place:
            return
        self._place = place
        if place is None:
            self._hover.hide()
        self._draw_hover()
        self.asked.emit(place)

    def _scale(self) -> None:
        look = theme.current()
        values = [one.values[~np.isnan(one.values)] for one in self._strokes]
        most = max((float(one.max()) for one in values if one.size), default=0.0)
        least = min((float(one.min()) for one in values if one.size), default=0.0)
        self._ticks = axis(int(most + 0.999))
        if least < 0:
            step = self._ticks[1] - self._ticks[0]
            self._ticks = [-step * times for times in range(int(-least // step) + 1, 0, -1)] + self._ticks
        height = self._ticks[-1] - self._ticks[0]
        foot = height * (2 * _MARKS_AT if self._axis.marks else 0.01)
        box = self._item.getViewBox()
        box.setRange(
            xRange=(-0.2, max(1, self._axis.places) - 0.8),
            yRange=(self._ticks[0] - foot, self._ticks[-1] + height * 0.02),
            padding=0,
            update=True,
        )
        left, bottom = self._item.getAxis("left"), self._item.getAxis("bottom")
        left.setTicks([[(tick, short_number(tick)) for tick in self._ticks], []])
        bottom.setTicks([self._names_with_room(), []])
        font = look.font("small")
        for one in (left, bottom):
            one.setStyle(tickLength=0, tickTextOffset=6, tickFont=font)
            one.setTextPen(look.color("text3"))
        widest = max(QFontMetrics(font).horizontalAdvance(short_number(tick)) for tick in self._ticks)
        left.setWidth(widest + 10)
        bottom.setHeight(max(_FOOT, QFontMetrics(font).height() + 8))

    def _draw_stroke(self, stroke: Stroke) -> None:
        color = theme.current().color(stroke.color)
        style = Qt.PenStyle.DashLine if stroke.is_dashed else Qt.PenStyle.SolidLine
        pen = pg.mkPen(color, width=1.5 if stroke.is_dashed else 2, style=style)
        places = np.arange(stroke.values.size, dtype=np.float64)
        fill: dict[str, Any] = {}
        if stroke.is_filled:
            soft = QColor(color)
            soft.setAlphaF(0.1)
            fill = {"fillLevel": 0, "brush": soft}
        curve = pg.PlotCurveItem(places, stroke.values, pen=pen, connect="finite", antialias=True, **fill)
        self._item.addItem(curve)

    def _draw_grid(self) -> None:
        """A line at each tick, all of them in one item."""
        ends = np.array([-1.0, self._axis.places + 1.0] * len(self._ticks))
        pen = pg.mkPen(theme.current().color("line2"), width=1)
        heights = np.repeat(np.array(self._ticks, np.float64), 2)
        self._item.addItem(pg.PlotCurveItem(ends, heights, pen=pen, connect="pairs", antialias=False))

    def _draw_dots(self) -> None:
        """The ends of lines, days that stand alone, and the marks below the axis."""
        y = self._ticks[0] - (self._ticks[-1] - self._ticks[0]) * _MARKS_AT
        spots = [(float(place), y, color, 5) for place, color in self._axis.marks]
        for stroke in self._strokes:
            places = _lonely(stroke.values) | (set() if stroke.is_dashed else _end(stroke.values))
            spots += [(float(place), float(stroke.values[place]), stroke.color, 6) for place in places]
        if spots:
            x, y_, colors, sizes = zip(*spots, strict=True)
            look = theme.current()
            brushes = {color: pg.mkBrush(look.color(color)) for color in set(colors)}
            self._item.addItem(
                pg.ScatterPlotItem(
                    x=np.array(x),
                    y=np.array(y_),
                    size=np.array(sizes),
                    brush=[brushes[color] for color in colors],
                    pen=pg.mkPen(None),
                    antialias=True,
                )
            )

    def _draw_hover(self) -> None:
        for old in (self._hover_line, self._hover_dots):
            if old is not None and old.scene() is not None:
                self._item.removeItem(old)
        self._hover_line = self._hover_dots = None
        if self._place is None:
            return
        look = theme.current()
        self._hover_line = pg.InfiniteLine(self._place, 90, pen=pg.mkPen(look.color("text3"), width=1))
        self._item.addItem(self._hover_line)
        spots = [
            {"pos": (self._place, float(one.values[self._place])), "brush": look.color(one.color)}
            for one in self._strokes
            if self._place < one.values.size and not np.isnan(one.values[self._place])
        ]
        pen = pg.mkPen(look.color("surface"), width=1.5)
        self._hover_dots = pg.ScatterPlotItem(spots=spots, size=9, pen=pen, pxMode=True, antialias=True)
        self._item.addItem(self._hover_dots)

    def _move(self) -> None:
        """Put what is no part of the plot where its values are."""
        today = self._axis.today
        self._today.setVisible(today is not None)
        if today is not None:
            size = self._today.sizeHint()
            left = min(self._x_of(today) - size.width() // 2, self.width() - size.width())
            top = round(self._at(0, self._item.getViewBox().viewRange()[1][0]).y()) + 6
            self._today.setGeometry(left, top, size.width(), size.height())
            self._today.raise_()
        self._item.getAxis("bottom").setTicks([self._names_with_room(), []])
        self.moved.emit()

    def _names_with_room(self) -> list[tuple[int, str]]:
        """The names below the axis that neither touch each other nor the one of today."""
        metrics = QFontMetrics(theme.current().font("small"))
        today = self._today.geometry() if self._axis.today is not None else None
        kept: list[tuple[int, str]] = []
        end = -1.0
        for place, name in self._axis.names:
            middle, half = self._x_of(place), metrics.horizontalAdvance(name) / 2 + _BETWEEN_NAMES
            is_free = today is None or middle + half <= today.left() or middle - half >= today.right()
            if is_free and (not kept or middle - half >= end):
                kept.append((place, name))
                end = middle + half
        return kept

    def _at(self, place: float, value: float) -> QPointF:
        scene = self._item.getViewBox().mapViewToScene(QPointF(place, value))
        return QPointF(self._view.mapTo(self, self._view.mapFromScene(scene)))

    def _x_of(self, place: int) -> int:
        return round(self._at(place, 0).x())

    def _prepare(self) -> None:
        view, item = self._view, self._item
        view.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        view.setFrameShape(pg.PlotWidget.Shape.NoFrame)
        item.setMenuEnabled(False)
        item.hideButtons()
        item.setMouseEnabled(False, False)
        item.getViewBox().disableAutoRange()
        item.getViewBox().sigResized.connect(self._move)
        item.layout.setContentsMargins(0, 8, 6, 0)
        for side in ("left", "bottom"):
            item.getAxis(side).setPen(pg.mkPen(None))
            item.getAxis(side).setTickPen(pg.mkPen(None))
            item.getAxis(side).setStyle(hideOverlappingLabels=False)
        column = QVBoxLayout(self)
        column.setContentsMargins(2, 2, 2, 2)
        column.addWidget(view)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the ring of the focus around the lines."""
        if self.hasFocus():
            rounded(
                QPainter(self), QRectF(self.rect()), theme.current().metrics.radius, line="accent", width=2
            )


def _has_any(stroke: Stroke) -> bool:
    return bool((~np.isnan(stroke.values)).any())


def _lonely(values: NDArray[np.float64]) -> set[int]:
    """Places with a value between gaps, where no line is to be seen."""
    known = np.concatenate(([False], ~np.isnan(values), [False]))
    return set(np.flatnonzero(known[1:-1] & ~known[:-2] & ~known[2:]).tolist())


def _end(values: NDArray[np.float64]) -> set[int]:
    return set(np.flatnonzero(~np.isnan(values))[-1:].tolist())
