"""Asks before a table is closed whose corrections or columns would be lost."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.widgets import Button, Divider, Label, Sheet, danger
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr


class LeavingSheet(Sheet):
    """Esc goes back to the table."""

    left = Signal()
    """The person wants to close the table all the same."""

    def __init__(self, host: QWidget) -> None:
        title = tr("Close without importing?")
        super().__init__(host, title, 480)
        text = tr("Your corrections and column choices will be lost. The file itself doesn't change.")
        self.setAccessibleDescription(text)
        self.stay, self.leave = Button(tr("Keep editing"), key_hint="Esc"), danger(tr("Close the import"))
        body = QVBoxLayout()
        body.setContentsMargins(20, 16, 20, 16)
        body.setSpacing(8)
        body.addWidget(Label(title, "section", wrap=True))
        body.addWidget(Label(text, "text", "text2", wrap=True))
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.leave, self.stay))
        self.stay.clicked.connect(self.dismiss)
        self.leave.clicked.connect(self.dismiss)
        self.leave.clicked.connect(self.left)
