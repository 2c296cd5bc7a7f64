"""Ctrl+Y does again what was taken back in a text, on every system: Qt knows that key on Windows alone."""

from PySide6.QtCore import QEvent, QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QTextEdit

_KEY = QKeyCombination(Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_Y)


def redo_pressed(editor: QLineEdit | QTextEdit, event: QEvent) -> bool:
    """Handle the key at the start of a text's ``event``; True when nobody else shall get the event."""
    if not isinstance(event, QKeyEvent) or event.keyCombination() != _KEY or editor.isReadOnly():
        return False
    if event.type() == QEvent.Type.KeyPress:
        editor.redo()
    event.accept()
    return True
