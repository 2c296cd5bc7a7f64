"""A column that scrolls when it does not fit."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


def scrolled(body: QWidget) -> QScrollArea:
    """Return an area that scrolls `body`, sideways only where text is large, and shows the ground behind."""
    area = scroll_area()
    area.setWidget(body)
    body.setAutoFillBackground(False)
    return area


def scroll_area() -> QScrollArea:
    """Return the same without a body yet.

    A large body is best made with the area's viewport as its parent, once the area is in its place: whatever
    gets another parent is styled anew, with all that is in it.
    """
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.viewport().setAutoFillBackground(False)
    return area
