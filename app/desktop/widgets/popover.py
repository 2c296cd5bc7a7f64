"""A small panel that floats beside what it belongs to and goes when one clicks elsewhere or presses Esc."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.desktop.theme import theme
from app.desktop.widgets.painting import cut_corners, rounded

_PADDING = 12


class Popover(QFrame):
    """Fill ``body``, then ``open_below`` the widget that it belongs to."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)  # nothing behind the corners
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(_PADDING, _PADDING, _PADDING, _PADDING)
        self.body.setSpacing(8)

    def open_below(self, anchor: QWidget) -> None:
        """Shows it under a widget, moved so far that it is whole on the screen."""
        self.adjustSize()
        corner = anchor.mapToGlobal(QPoint(0, anchor.height() + 4))
        room = anchor.screen().availableGeometry()
        corner.setX(max(room.left(), min(corner.x(), room.right() - self.width())))
        corner.setY(max(room.top(), min(corner.y(), room.bottom() - self.height())))
        self.move(corner)
        self.show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        cut_corners(self, theme.current().metrics.radius_panel)

    def paintEvent(self, _event: QPaintEvent) -> None:
        radius = theme.current().metrics.radius_panel
        rounded(QPainter(self), self.rect().toRectF(), radius, fill="raised", line="line_strong")
