"""Above the list of files: the names of its columns, each of which sorts."""

from functools import partial

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QStyle, QWidget

from app.desktop.media.columns import COLUMNS, Column, places
from app.desktop.media.model import ORDERS
from app.desktop.theme import theme
from app.desktop.widgets.enter import EnterPresses
from app.desktop.widgets.painting import draw_icon, mirrored, rounded, shows_focus
from app.language import tr

_ARROW = 12


class ColumnHead(QWidget):
    """A row of buttons above the columns that they name, as wide as the list without its scroll bar."""

    sorted_by = Signal(str)
    """The key of an order that the person wants."""

    def __init__(self) -> None:
        super().__init__()
        self._bar = 0
        self.buttons = {column.title: ColumnButton(column, self) for column in COLUMNS}
        for button in self.buttons.values():
            button.clicked.connect(partial(self._ask, button))
        self.setAccessibleName(tr("Columns"))
        theme.follow(self._place)

    def sizeHint(self) -> QSize:
        return QSize(200, round(30 * theme.current().scale))

    def make_room(self, bar: int) -> None:
        """Leave so many pixels at the far edge to the scroll bar."""
        self._bar = bar
        self._place()

    def show_order(self, order: str) -> None:
        """Say which column the files are sorted by, and which way."""
        for button in self.buttons.values():
            button.show_order(order)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def paintEvent(self, _event: QPaintEvent) -> None:
        line = QRectF(0, self.height() - 1, self.width(), 1)
        QPainter(self).fillRect(line, theme.current().color("line"))

    def _place(self) -> None:
        self.setFixedHeight(self.sizeHint().height())
        shown = {one.column.title: one for one in places(self.width() - self._bar, theme.current().scale)}
        for title, button in self.buttons.items():
            place = shown.get(title)
            button.setVisible(place is not None)
            if place is not None:
                box = QRect(place.left, 0, place.width, self.height() - 2)
                button.setGeometry(mirrored(self, box))

    def _ask(self, button: "ColumnButton") -> None:
        first, other = button.column.orders
        self.sorted_by.emit(other if button.order == first else first)


class ColumnButton(EnterPresses):
    """The name of a column, with an arrow where the files are sorted by it."""

    def __init__(self, column: Column, parent: QWidget) -> None:
        super().__init__(parent)
        self.column, self.order = column, ""
        self.setText(column.title)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.show_order("")

    def show_order(self, order: str) -> None:
        """Say whether this order is one of the column's."""
        self.order = order if order in self.column.orders else ""
        told = f", {_within(ORDERS[self.order][0])}" if self.order else ""
        self.setAccessibleName(f"{self.column.sort}{told}")
        self.setToolTip(self.accessibleName())
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, look = QPainter(self), theme.current()
        painter.setFont(look.font("small", QFont.Weight.Medium))
        painter.setPen(look.color("text" if self.order or self.underMouse() else "text2"))
        at_far_edge = self.column.is_number
        side = Qt.AlignmentFlag.AlignTrailing if at_far_edge else Qt.AlignmentFlag.AlignLeading
        flags = QStyle.visualAlignment(self.layoutDirection(), side | Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(self.rect(), flags, self.text())
        if self.order:
            width = painter.fontMetrics().horizontalAdvance(self.text())
            left = self.width() - width - _ARROW - 3 if at_far_edge else width + 3
            box = mirrored(self, QRect(left, (self.height() - _ARROW) // 2, _ARROW, _ARROW))
            draw_icon(painter, QRectF(box), "chevron-up" if self._rises() else "chevron-down", "text")
        if shows_focus(self):
            rounded(painter, QRectF(self.rect()).adjusted(0, 3, 0, -3), 4, line="accent", width=2)

    def _rises(self) -> bool:
        return not ORDERS[self.order][2]


def _within(words: str) -> str:
    """Words that stand within a sentence."""
    return words[:1].lower() + words[1:]
