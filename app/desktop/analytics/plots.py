"""Line charts: the widget around the drawing, for the mouse, the keys and a screen reader."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFont, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.desktop.analytics.drawing import Axis, Drawing, Stroke
from app.desktop.analytics.hover import HoverCard, HoverRow
from app.desktop.theme import theme
from app.desktop.widgets import Label
from app.desktop.widgets.painting import rounded
from app.language import tr


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
        self._drawing = Drawing((), self._axis, self.size())
        self._today = Label(tr("Today"), "small", "rubric", weight=QFont.Weight.DemiBold, parent=self)
        self._hover = HoverCard(self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)
        theme.follow(self._draw)

    def sizeHint(self) -> QSize:
        return QSize(320, 180)

    def show_lines(self, strokes: Sequence[Stroke], below: Axis) -> None:
        """Show these lines in place of those that were there."""
        self._strokes, self._axis = strokes, below
        self._ask(None)
        self._draw()

    def tell(self, title: str, detail: str, rows: Sequence[HoverRow]) -> None:
        """Say this beside the place that is asked for."""
        if self._place is not None:
            self._hover.tell(title, detail, rows)
            self._hover.stand_beside(round(self._drawing.x_of(self._place)), self.rect())
            self.setAccessibleDescription(self._hover.spoken())

    @property
    def place(self) -> int | None:
        """The place that is asked for."""
        return self._place

    def y_of(self, value: float) -> float:
        """Where a value stands, in pixels from the top."""
        return self._drawing.y_of(value)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._draw()

    def leaveEvent(self, _event: QEvent) -> None:
        self._ask(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._ask(None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Ask for the place nearest to the mouse."""
        inside = self.rect().toRectF().contains(event.position())
        place = self._drawing.place_at(event.position().x()) if inside else -1
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

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the lines, the place that is asked for, and the ring of the focus."""
        painter = QPainter(self)
        self._drawing.paint(painter)
        if self._place is not None:
            self._drawing.paint_asked(painter, self._place)
        if self.hasFocus():
            rounded(painter, QRectF(self.rect()), theme.current().metrics.radius, line="accent", width=2)

    def _last(self) -> int:
        ends = [np.flatnonzero(~np.isnan(one.values))[-1:].tolist() for one in self._strokes]
        return max((place for end in ends for place in end), default=0)

    def _ask(self, place: int | None) -> None:
        if place == self._place:
            return
        self._place = place
        if place is None:
            self._hover.hide()
        self.update()
        self.asked.emit(place)

    def _draw(self) -> None:
        self._drawing = Drawing(self._strokes, self._axis, self.size())
        today = self._axis.today
        self._today.setVisible(today is not None)
        if today is not None:
            size = self._today.sizeHint()
            left = min(round(self._drawing.x_of(today)) - size.width() // 2, self.width() - size.width())
            self._today.setGeometry(left, round(self._drawing.foot) + 6, size.width(), size.height())
        self.update()
        self.moved.emit()
