"""A mouse that presses buttons."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton


def press(button: QAbstractButton) -> None:
    """Presses and lets go, in the middle."""
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
