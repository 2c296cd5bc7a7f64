"""The sheet that adds an account for publishing by hand: a platform and a handle."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.contract.enums import ConnectionPlatform
from app.contract.limits import HANDLE_MAX
from app.desktop.aio import TaskScope
from app.desktop.theme import icons
from app.desktop.widgets import (
    Button,
    ComboBox,
    Divider,
    Field,
    Label,
    LineEdit,
    MessageStrip,
    Sheet,
    clear,
    primary,
)
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr
from app.platforms.cards import CARDS, own_name
from app.workspace.accounts.account import Account
from app.workspace.connections.places import Places
from app.workspace.messages import Problem

ABOUT = tr("No developer app needed: Kalends reminds you and gives you the text and file.")
_WHICH = tr("Shown in the calendar, so you know which account to use.")
_WIDTH, _INSET = 480, 24


class ByHandSheet(Sheet):
    """Once closed, ``account`` is the new account; None if the user gave up.

    Args:
        host: any widget of the window.
        places: connects the account.
        platform: the platform that is selected first.
    """

    def __init__(self, host: QWidget, places: Places, platform: ConnectionPlatform) -> None:
        super().__init__(host, tr("Publish by hand"), _WIDTH, closes_beside=False)
        self.account: Account | None = None
        self._places = places
        self._scope = TaskScope(self, self._show_problem)
        self._problem = QVBoxLayout()
        self.platform, self.line = ComboBox(), LineEdit()
        for key, card in CARDS.items():
            if card.is_by_hand:
                self.platform.addItem(icons.icon(icons.platform_icon(key), "text2"), own_name(key), key)
        self.platform.setCurrentIndex(self.platform.findData(platform.value))
        self.line.setMaxLength(HANDLE_MAX)
        self.line.setPlaceholderText("@maya.makes")
        self.handle = Field(
            tr("Handle"), self.line, tr("Shown in the calendar, so you know which account to use.")
        )
        self.connect_button = primary(tr("Add account"))
        self.cancel = Button(tr("Cancel"), key_hint="Esc")
        self._lay_out()
        self.connect_button.clicked.connect(self._submit)
        self.cancel.clicked.connect(self.dismiss)
        self.line.returnPressed.connect(self._submit)
        self.line.textEdited.connect(self._clear)

    @property
    def first(self) -> QWidget:
        """The field that gets the focus first."""
        return self.platform

    def _submit(self) -> None:
        self._clear()
        handle = self.line.text().strip().removeprefix("@").strip()
        if not handle:
            self.handle.set_error(tr("Enter the handle, for example {example}.", example="maya.makes"))
            self.line.setFocus()
        elif self.connect_button.isEnabled():
            self.connect_button.setEnabled(False)
            self._scope.start(self._add(ConnectionPlatform(self.platform.currentData()), handle))

    async def _add(self, platform: ConnectionPlatform, handle: str) -> None:
        self.account = await self._places.connect(platform, handle, "")
        self.dismiss()

    def _show_problem(self, problem: Problem) -> None:
        self.connect_button.setEnabled(True)
        self._problem.addWidget(MessageStrip("error", problem.text, problem.details, closable=False))
        self.connect_button.setFocus()

    def _clear(self) -> None:
        self.handle.set_error("")
        clear(self._problem)

    def _lay_out(self) -> None:
        body = QVBoxLayout()
        body.setContentsMargins(_INSET, 20, _INSET, 16)
        body.setSpacing(14)
        head = QVBoxLayout()
        head.setSpacing(4)
        head.addWidget(Label(self.accessibleName(), "section", wrap=True))
        head.addWidget(Label(ABOUT, "card", "text2", wrap=True))
        body.addLayout(head)
        body.addWidget(Field(tr("Platform"), self.platform))
        body.addWidget(self.handle)
        body.addLayout(self._problem)
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.cancel, self.connect_button))
