"""Keeps the focus where it was while what is shown changes."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


@contextmanager
def keeping_focus(*group: QWidget) -> Iterator[None]:
    """While some of a group are shown and others hidden: its focus goes to the first that can have it."""
    held = next((widget for widget in group if widget.hasFocus()), None)
    yield
    if held is None or (held.isVisible() and held.isEnabled()):
        return
    for widget in group:
        if widget.isVisible() and widget.isEnabled():
            widget.setFocus(Qt.FocusReason.OtherFocusReason)
            return
