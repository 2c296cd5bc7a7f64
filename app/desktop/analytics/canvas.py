"""Lines by pyqtgraph in our own look. Imported, with its axes, when the pane is first opened: it is large.

Its items are made once and told other values: making them anew took most of a filter's time.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPen, QResizeEvent
from PySide6.QtWidgets import QGraphicsScene, QGraphicsView, QVBoxLayout, QWidget

from app.desktop.analytics.drawn import Curve, Dots, Spot
from app.desktop.analytics.name_axis import NameAxis
from app.desktop.analytics.strokes import Axis, Stroke, ticks_around
from app.desktop.analytics.wording import short_number
from app.desktop.theme import theme

_FOOT: Final = 24
_MARKS_AT: Final = 0.045
"""Of the height, below the axis."""
_DOT, _MARK, _ASKED = 6, 5, 9


class _View(pg.PlotWidget):  # type: ignore[misc]
    """Is painted as a whole. A scene that is told of parts has them painted on their own, after all else."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The scene does not learn that the window is active: it takes no keys, and would paint all anew."""
        is_of_window = event.type() in (QEvent.Type.WindowActivate, QEvent.Type.WindowDeactivate)
        return is_of_window or super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.scene().update()
        super().resizeEvent(event)


class LineCanvas(QWidget):
    """Where lines are drawn."""

    resized = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._strokes: Sequence[Stroke] = ()
        self._left, self._below = NameAxis("left"), NameAxis("bottom")
        self._view = _View(axisItems={"left": self._left, "bottom": self._below})
        self._item = self._view.getPlotItem()
        self._grid, self._today = Curve(antialias=False), pg.InfiniteLine(angle=90)
        self._curves: list[Any] = []
        self._dots, self._asked = Dots(), pg.InfiniteLine(angle=90)
        self._asked_dots = pg.ScatterPlotItem(antialias=True, pxMode=True, size=_ASKED)
        self._range: tuple[float, float, float] | None = None
        self._axes: tuple[int, int] | None = None
        self._named: tuple[Any, ...] = ()
        self._prepare()

    @property
    def foot(self) -> float:
        """Where the lines' room ends, in pixels of the parent from the top; names stand below."""
        return self.at(0, self._item.getViewBox().viewRange()[1][0]).y()

    def at(self, place: float, value: float) -> QPointF:
        """Where a value stands in the parent."""
        scene = self._item.getViewBox().mapViewToScene(QPointF(place, value))
        return QPointF(self._view.mapTo(self.parentWidget(), self._view.mapFromScene(scene)))

    def place_at(self, point: QPoint) -> int:
        """The place nearest to a point of the parent."""
        scene = self._view.mapToScene(self._view.mapFrom(self.parentWidget(), point))
        return round(float(self._item.getViewBox().mapSceneToView(scene).x()))

    def draw(self, strokes: Sequence[Stroke], below: Axis) -> None:
        """Draw lines and what stands below them, in the colours in force. Not told of as a change of size."""
        self._strokes = strokes
        look, ticks = theme.current(), ticks_around(strokes)
        self._view.scene().update()
        self._view.setBackground(look.color("surface"))
        with QSignalBlocker(self):
            self._write_axes(ticks)
            self._scale(ticks, below)
        # Twice as high as the ticks reach: marks below them and half a line above them lie within.
        height = ticks[-1] - ticks[0]
        room = self._grid.room = QRectF(-1, ticks[0] - height / 2, below.places + 2, 2 * height)
        ends = np.array([-1.0, below.places + 1.0] * len(ticks))
        heights = np.repeat(np.array(ticks, np.float64), 2)
        self._grid.setData(ends, heights, pen=pg.mkPen(look.color("line2"), width=1), connect="pairs")
        self._today.setVisible(below.today is not None)
        if below.today is not None:
            self._today.setPen(pg.mkPen(look.color("rubric"), width=1))
            self._today.setPos(below.today)
        self._draw_strokes(strokes, room)
        self._draw_dots(strokes, below, room, ticks[0] - (ticks[-1] - ticks[0]) * _MARKS_AT)

    def point_out(self, place: int | None) -> None:
        """Mark a place, and where each line is there; None for none."""
        self._asked.setVisible(place is not None)
        self._asked_dots.setVisible(place is not None)
        if place is None:
            return
        look = theme.current()
        self._asked.setPen(pg.mkPen(look.color("text3"), width=1))
        self._asked.setPos(place)
        spots = [
            {"pos": (place, float(one.values[place])), "brush": look.color(one.color)}
            for one in self._strokes
            if place < one.values.size and not np.isnan(one.values[place])
        ]
        self._asked_dots.setData(spots=spots, pen=pg.mkPen(look.color("surface"), width=1.5))

    def name_places(self, names: Sequence[tuple[int, str]]) -> None:
        """Write names below places."""
        if (named := tuple(names)) != self._named:
            self._named = named
            self._below.name(named)

    def _scale(self, ticks: Sequence[int], below: Axis) -> None:
        height = ticks[-1] - ticks[0]
        low = ticks[0] - height * (2 * _MARKS_AT if below.marks else 0.01)
        wanted = float(below.places), low, ticks[-1] + height * 0.02
        if wanted != self._range:
            self._range = wanted
            self._item.getViewBox().setRange(
                xRange=(-0.2, max(1, below.places) - 0.8), yRange=wanted[1:], padding=0, update=True
            )

    def _write_axes(self, ticks: Sequence[int]) -> None:
        look = theme.current()
        font, ink = look.font("small"), look.color("text3")
        names = [short_number(tick) for tick in ticks]
        for one in (self._left, self._below):
            one.dress(font, ink)
        self._left.name(list(zip(ticks, names, strict=True)))
        metrics = QFontMetrics(font)
        axes = max(map(metrics.horizontalAdvance, names)) + 10, max(_FOOT, metrics.height() + 8)
        if axes != self._axes:
            self._axes = axes
            self._left.setWidth(axes[0])
            self._below.setHeight(axes[1])
            self._item.layout.activate()  # at once: what stands beside the lines asks where they are

    def _draw_strokes(self, strokes: Sequence[Stroke], room: QRectF) -> None:
        while len(self._curves) < len(strokes):
            self._curves.append(Curve(antialias=True))
            self._item.addItem(self._curves[-1])
        for number, curve in enumerate(self._curves):
            curve.setVisible(number < len(strokes))
            if number < len(strokes):
                curve.room = room
                _tell(curve, strokes[number])

    def _draw_dots(self, strokes: Sequence[Stroke], below: Axis, room: QRectF, marks_at: float) -> None:
        """The ends of lines, places that stand alone, and the marks below the axis."""
        spots = [Spot(place, marks_at, color, _MARK) for place, color in below.marks]
        for stroke in strokes:
            end = {stroke.last} if stroke.last is not None and not stroke.is_dashed else set()
            places = stroke.lonely | end
            spots += [Spot(place, float(stroke.values[place]), stroke.color, _DOT) for place in places]
        self._dots.show_spots(spots, room)

    def _prepare(self) -> None:
        view, item = self._view, self._item
        view.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        view.setFrameShape(pg.PlotWidget.Shape.NoFrame)
        # All of it is painted at each change: what else would find out which parts costs more.
        view.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        view.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        view.scene().installEventFilter(view)
        view.scene().setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        item.setMenuEnabled(False)
        item.hideButtons()
        item.setMouseEnabled(False, False)
        item.getViewBox().disableAutoRange()
        item.getViewBox().sigResized.connect(self.resized)
        item.layout.setContentsMargins(0, 8, 6, 0)
        above = (self._dots, self._asked, self._asked_dots)
        for one in (self._grid, self._today, *above):
            item.addItem(one)
        for height, one in enumerate(above, start=1):
            one.setZValue(height)  # over the lines, which come later
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(view)


def _tell(curve: Any, stroke: Stroke) -> None:
    """Give a curve other values and another look."""
    color = theme.current().color(stroke.color)
    style = Qt.PenStyle.DashLine if stroke.is_dashed else Qt.PenStyle.SolidLine
    curve.line = QPen(color, 1.5 if stroke.is_dashed else 2, style, Qt.PenCapStyle.FlatCap)
    soft = QColor(color)
    soft.setAlphaF(0.1)
    curve.setData(
        np.arange(stroke.values.size, dtype=np.float64),
        stroke.values,
        pen=None,
        connect="finite",
        fillLevel=0 if stroke.is_filled else None,
        brush=soft if stroke.is_filled else None,
    )
