"""The widget around the lines, for the mouse, the keys and a screen reader."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.desktop.analytics.canvas import LineCanvas
from app.desktop.analytics.hover import HoverCard, HoverRow
from app.desktop.analytics.strokes import Axis, Stroke
from app.desktop.theme import theme
from app.desktop.widgets import Label
from app.desktop.widgets.painting import rounded
from app.language import tr

_BETWEEN_NAMES = 3
"""Least room on each side of a name below the axis, in pixels."""


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
        self._canvas = LineCanvas(self)
        self._today = Label(tr("Today"), "small", "rubric", weight=QFont.Weight.DemiBold, parent=self)
        self._hover = HoverCard(self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)
        column = QVBoxLayout(self)
        column.setContentsMargins(2, 2, 2, 2)
        column.addWidget(self._canvas)
        self._canvas.resized.connect(self._move)
        theme.follow(self._draw)

    def sizeHint(self) -> QSize:
        return QSize(320, 180)

    def show_lines(self, strokes: Sequence[Stroke], below: Axis) -> None:
        """Show these lines in place of those that were there."""
        if not strokes and not self._strokes and below == self._axis:
            return  # as before they are known, post after post
        self._strokes, self._axis = strokes, below
        self._ask(None)
        self._draw()

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
        return self._canvas.at(0, value).y()

    def leaveEvent(self, _event: QEvent) -> None:
        self._ask(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._ask(None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Ask for the place nearest to the mouse."""
        inside = self.rect().toRectF().contains(event.position())
        place = self._canvas.place_at(event.position().toPoint()) if inside else -1
        self._ask(place if 0 <= place < self._axis.places else None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk from place to place."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None or not self._strokes:
            super().keyPressEvent(event)
            return
        last = max((one.last or 0 for one in self._strokes), default=0)
        start = last + 1 if self._place is None else self._place
        self._ask(min(max(start + step, 0), self._axis.places - 1))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the ring of the focus around the lines."""
        if self.hasFocus():
            radius = theme.current().metrics.radius
            rounded(QPainter(self), QRectF(self.rect()), radius, line="accent", width=2)

    def _ask(self, place: int | None) -> None:
        if place == self._place:
            return
        self._place = place
        if place is None:
            self._hover.hide()
        self._canvas.point_out(place)
        self.asked.emit(place)

    def _draw(self) -> None:
        """Draw everything, in the colours in force."""
        self._canvas.draw(self._strokes, self._axis)
        self._canvas.point_out(self._place)
        self._move()

    def _move(self) -> None:
        """Put what is no part of the plot where its values are."""
        today = self._axis.today
        self._today.setVisible(today is not None)
        if today is not None:
            size = self._today.sizeHint()
            left = min(self._x_of(today) - size.width() // 2, self.width() - size.width())
            self._today.setGeometry(left, round(self._canvas.foot) + 6, size.width(), size.height())
            self._today.raise_()
        self._canvas.name_places(self._names_with_room())
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

    def _x_of(self, place: int) -> int:
        return round(self._canvas.at(place, 0).x())
