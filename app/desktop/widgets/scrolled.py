"""A column that scrolls when it does not fit."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


def scrolled(body: QWidget) -> QScrollArea:
    """Return an area that scrolls `body`, sideways only where text is large, and shows the ground behind."""
    area = QScrollArea()
    area.setWidget(body)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.viewport().setAutoFillBackground(False)
    body.setAutoFillBackground(False)
    return area
