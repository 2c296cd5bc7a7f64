"""The base of sheets that ask for an account's name or server: head, fields, and buttons below."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLayout, QVBoxLayout, QWidget

from app.contract.enums import ConnectionPlatform
from app.desktop.connections.waiting import PlatformMark, purpose
from app.desktop.widgets import Button, Divider, Field, Label, PracticeTag, Sheet, primary, secondary
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr
from app.workspace.accounts.account import Account

_WIDTH, _INSET = 480, 24


class AccountSheet(Sheet):
    """Empty until ``lay_out`` is called.

    Args:
        host: any widget of the window.
        platform: of the account.
        practice: whether the network is a stand-in.
        again: the account to reconnect; None for a new one.
        place: its position among several accounts, such as "2 of 3"; it can be skipped then.
    """

    skipped = Signal()

    def __init__(
        self,
        host: QWidget,
        platform: ConnectionPlatform,
        *,
        practice: bool = False,
        again: Account | None = None,
        place: str = "",
    ) -> None:
        name = purpose(platform.value, again.name if again else "", place)
        super().__init__(host, name, _WIDTH, closes_beside=False)
        self.platform, self.practice, self.again = platform, practice, again
        self.connect_button = primary(tr("Connect"))
        self.cancel = Button(tr("Cancel"), key_hint="Esc")
        self.skip = secondary(tr("Skip this account"))
        self.skip.setVisible(bool(place))
        self.cancel.clicked.connect(self.dismiss)
        self.skip.clicked.connect(self.skipped)

    def lay_out(self, about: str, *fields: Field, below: QLayout | None = None) -> None:
        """Show the fields, with a sentence above and another widget below them."""
        column = QVBoxLayout()
        column.setContentsMargins(_INSET, 4, _INSET, 16)
        column.setSpacing(14)
        for field in fields:
            column.addWidget(field)
        if below is not None:
            column.addLayout(below)
        self.layout_.addLayout(self._head(about))
        self.layout_.addLayout(column)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.skip, self.cancel, self.connect_button))

    def _head(self, about: str) -> QHBoxLayout:
        title, words = QHBoxLayout(), QVBoxLayout()
        title.setSpacing(8)
        title.addWidget(Label(self.accessibleName(), "section", wrap=True), 1)
        if self.practice:
            title.addWidget(PracticeTag())
        words.setSpacing(2)
        words.addStretch(1)
        words.addLayout(title)
        words.addWidget(Label(about, "card", "text2", wrap=True))
        words.addStretch(1)
        head = QHBoxLayout()
        head.setContentsMargins(_INSET, 20, _INSET, 16)
        head.setSpacing(14)
        head.addWidget(PlatformMark(self.platform.value))
        head.addLayout(words, 1)
        return head
