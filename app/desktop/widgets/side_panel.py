"""The frame of a panel at the window's right edge: head and foot stay, the body scrolls."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.commands import Command, CommandSet
from app.desktop.theme import theme
from app.desktop.theme.growing import WIDEST_SIDE, grow
from app.desktop.widgets.button import IconButton
from app.desktop.widgets.label import Divider, Label
from app.desktop.widgets.scrolling import scrolled
from app.language import tr


class SidePanel(QWidget):
    """Fill ``body``; ``foot`` stays below it. Esc and the cross close it."""

    closed = Signal()

    def __init__(self, title: str) -> None:
        super().__init__()
        grow(self, QWidget.setFixedWidth, theme.current().metrics.composer, WIDEST_SIDE)
        self.setProperty("ground", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(title)
        self.title = Label(title, "section")
        self.body, self.foot = QVBoxLayout(), QVBoxLayout()
        self._head = QHBoxLayout()
        self._lay_out()
        name, group = tr("Close panel"), tr("Side panel")
        close = Command(name, group, self.closed.emit, keys=("Esc",), listed=False)
        CommandSet(self, within=True).add(close)

    def add_to_head(self, widget: QWidget) -> None:
        """Put a widget next to the title."""
        self._head.insertWidget(1, widget, 1)

    def _lay_out(self) -> None:
        gutter = theme.current().metrics.gutter
        cross = IconButton("x", tr("Close"), size="small")
        cross.clicked.connect(self.closed)
        head = self._head
        head.setContentsMargins(gutter, 14, 12, 12)
        head.setSpacing(8)
        head.addWidget(self.title)
        head.addStretch(1)
        head.addWidget(cross)
        holder = QWidget()
        holder.setLayout(self.body)
        self.body.setContentsMargins(gutter, 14, gutter, gutter)
        self.body.setSpacing(10)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(Divider())
        column.addWidget(scrolled(holder), 1)
        column.addLayout(self.foot)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(Divider(Qt.Orientation.Vertical))
        row.addLayout(column, 1)
