"""Where files of this computer are dropped anywhere, and it shows that they can be."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.desktop import carried
from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded

_INSET = 6


class DropGround(QWidget):
    """Takes files wherever no part of it takes them itself."""

    dropped = Signal(object)
    """The paths of the files, a tuple."""

    def __init__(self) -> None:
        super().__init__()
        self._is_aimed_at = False
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files of this computer."""
        if carried.read(event.mimeData()).files:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self._aim(aimed=True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        super().dragLeaveEvent(event)
        self._aim(aimed=False)

    def dropEvent(self, event: QDropEvent) -> None:
        """Hand on what is dropped."""
        self._aim(aimed=False)
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        self.dropped.emit(carried.read(event.mimeData()).files)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Show that files can be dropped here, while some are held over it."""
        if self._is_aimed_at:
            box = self.rect().toRectF().adjusted(_INSET, _INSET, -_INSET, -_INSET)
            radius = theme.current().metrics.radius_panel
            rounded(QPainter(self), box, radius, fill="accent_soft", line="accent", width=2)

    def _aim(self, *, aimed: bool) -> None:
        self._is_aimed_at = aimed
        self.update()
