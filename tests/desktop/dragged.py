"""What a widget is told while something is dragged over it with the left button, and when it is dropped."""

from typing import Any

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, qVersion
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent

_COPY, _LEFT, _PLAIN = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
_HAS_EXACT_POINTS = tuple(map(int, qVersion().split(".")[:2])) >= (6, 12)


def entering(point: QPoint, data: QMimeData) -> QDragEnterEvent:
    """A drag comes in; nobody has accepted it yet."""
    event = QDragEnterEvent(_point(point), _COPY, data, _LEFT, _PLAIN)
    event.ignore()
    return event


def moving(point: QPoint, data: QMimeData) -> QDragMoveEvent:
    return QDragMoveEvent(_point(point), _COPY, data, _LEFT, _PLAIN)


def dropping(point: QPoint, data: QMimeData) -> QDropEvent:
    return QDropEvent(QPointF(point), _COPY, data, _LEFT, _PLAIN, QEvent.Type.Drop)


def _point(point: QPoint) -> Any:
    """Qt 6.12 wants exact points where earlier ones took none."""
    return QPointF(point) if _HAS_EXACT_POINTS else point
