"""Inputs that the mouse wheel scrolls past."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QWidget


class _Wheel(QObject):
    def eventFilter(self, _field: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.Wheel:
            return False
        event.ignore()  # Qt offers it to the parents then, so what the input is in scrolls
        return True


def scroll_past(field: QWidget) -> None:
    """Let the wheel neither change nor focus an input, also if it has the focus.

    Otherwise scrolling through a form would change the choices, days and times that pass below the pointer.
    """
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.installEventFilter(_Wheel(field))
