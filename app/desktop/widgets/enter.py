"""Enter presses a button that has the focus, as Space does: Qt leaves that to default buttons of dialogs."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton

_ENTERS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})
_PLAIN = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier


def press_by_enter(button: QAbstractButton, event: QKeyEvent) -> bool:
    """Press a button when a key event is Enter, once however long it is held; False for any other key."""
    if event.key() not in _ENTERS or event.modifiers() not in _PLAIN:
        return False
    if not event.isAutoRepeat():
        button.click()
    return True


class EnterPresses(QAbstractButton):
    """The base of buttons that paint themselves."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter does what Space does."""
        if not press_by_enter(self, event):
            super().keyPressEvent(event)
