"""Hands that press buttons, drag rows, and choose from lists."""

from typing import Final

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QComboBox

LEFT: Final = Qt.MouseButton.LeftButton


def press(button: QAbstractButton) -> None:
    """Presses and lets go, in the middle."""
    QTest.mouseClick(button, LEFT)


def drag_begins(view: QAbstractItemView, start: QPoint) -> None:
    """Moves with the left button held, from where it was pressed, further than a click."""
    port = view.viewport()
    for step in range(1, 4):
        place = QPointF(start.x() + step * QApplication.startDragDistance(), start.y())
        kind, none = QEvent.Type.MouseMove, Qt.MouseButton.NoButton
        event = QMouseEvent(kind, place, port.mapToGlobal(place), none, LEFT, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(port, event)


def choose(box: QComboBox, choice: str | int) -> None:
    """Opens a list, goes to a choice, by its words or its place, and takes it."""
    place = box.findText(choice) if isinstance(choice, str) else choice
    assert box.isEnabled()
    assert 0 <= place < box.count()
    box.showPopup()
    choices = box.view()
    choices.setCurrentIndex(choices.model().index(place, box.modelColumn()))
    QTest.keyClick(choices, Qt.Key.Key_Return)
    assert not choices.isVisible()
