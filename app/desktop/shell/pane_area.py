"""The area of the panes, which scrolls if large text needs more space than the window has."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QWidget


class _Stack(QStackedWidget):
    """As large as the current pane needs; the others don't count."""

    def minimumSizeHint(self) -> QSize:
        shown = self.currentWidget()
        return QSize() if shown is None else shown.minimumSizeHint().expandedTo(shown.minimumSize())


class PaneArea(QScrollArea):
    """Shows one of its panes, the ``stack``'s current one."""

    def __init__(self) -> None:
        super().__init__()
        self.stack = _Stack()
        self.stack.setProperty("ground", "bg")
        self.stack.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setWidget(self.stack)

    def minimumSizeHint(self) -> QSize:
        return QSize()

    def sizeHint(self) -> QSize:
        return self.stack.sizeHint()

    def keep_free(self, height: int) -> None:
        """Leave room below the panes, in logical pixels."""
        self.setViewportMargins(0, 0, 0, height)

    def add(self, pane: QWidget) -> None:
        """Add a pane."""
        self.stack.addWidget(pane)

    def show_pane(self, pane: QWidget) -> None:
        """Show a pane."""
        self.stack.setCurrentWidget(pane)
        self.stack.updateGeometry()
