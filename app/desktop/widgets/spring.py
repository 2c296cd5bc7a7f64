"""Spring-loaded buttons: hovering over one during a drag presses it, to reach a hidden drop target."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QAbstractButton

_AFTER_MS = 500


class SpringPress(QObject):
    """Presses ``button`` while something is dragged over it; nothing can be dropped there.

    Args:
        button: the button.
        again: whether to repeat while the drag stays there.
    """

    def __init__(self, button: QAbstractButton, *, again: bool = False) -> None:
        super().__init__(button)
        self._button = button
        self._timer = QTimer(self, interval=_AFTER_MS, singleShot=not again)
        self._timer.timeout.connect(button.click)
        button.setAcceptDrops(True)
        button.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Run the timer while a drag is over the button."""
        if isinstance(event, QDragEnterEvent):
            self._begin()
            event.accept()  # else its moves and its end would not be told
            return True
        if isinstance(event, QDragMoveEvent):
            event.ignore()
            return True
        if isinstance(event, QDropEvent) or event.type() is QEvent.Type.DragLeave:
            self._end()
            return True
        return super().eventFilter(watched, event)

    def _begin(self) -> None:
        self._button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
        self._button.update()
        self._timer.start()

    def _end(self) -> None:
        self._timer.stop()
        self._button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, on=False)
        self._button.update()
