"""The sheet that asks for the server of an account, before the server's page opens in the browser."""

from collections.abc import Awaitable, Callable

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import ConnectionPlatform
from app.contract.limits import SERVER_MAX
from app.desktop.aio import TaskScope
from app.desktop.connections.waiting import PlatformMark, purpose
from app.desktop.opening import open_page
from app.desktop.widgets import (
    Button,
    Divider,
    Field,
    Label,
    LineEdit,
    LinkButton,
    PracticeTag,
    Sheet,
    primary,
)
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr
from app.platforms.cards import CARDS
from app.workspace.connections.flow import ConnectionFlow
from app.workspace.messages import Problem

_WIDTH, _INSET = 480, 24
_EXAMPLE = "@maya@mastodon.social"

Begin = Callable[[str], Awaitable[ConnectionFlow]]
"""Starts connecting an account on a server as the user names it. Raises Problem."""


class ServerSheet(Sheet):
    """One field. After it has closed, ``flow`` waits for the browser; None if the user gave up.

    Args:
        host: any widget of the window.
        begin: asks the server for its page.
        platform: of the account.
        practice: whether the servers are stand-ins.
    """

    def __init__(
        self, host: QWidget, begin: Begin, platform: ConnectionPlatform, *, practice: bool = False
    ) -> None:
        super().__init__(host, purpose(platform.value, "", ""), _WIDTH, closes_beside=False)
        self.flow: ConnectionFlow | None = None
        self.named = ""
        """The server as the user named it, once ``flow`` has begun."""
        self._begin, self._platform, self._practice = begin, platform, practice
        self._scope = TaskScope(self, self._show_problem)
        self.line = LineEdit()
        self.find_link = LinkButton(tr("Find a server"))
        self.server = Field(tr("Server or full address"), self.line, trailing=self.find_link)
        self.connect_button = primary(tr("Continue in browser"))
        self.cancel = Button(tr("Cancel"), key_hint="Esc")
        self._fill()
        self._lay_out()
        self._connect()

    def _submit(self) -> None:
        self.server.set_error("")
        if not self.line.text().strip():
            self._refuse(tr("Enter your server or full address, for example {example}.", example=_EXAMPLE))
        elif self.connect_button.isEnabled():
            self._set_busy(True)
            self._scope.start(self._ask())

    async def _ask(self) -> None:
        named = self.line.text().strip()
        self.flow = await self._begin(named)
        self.named = named
        self.dismiss()

    def _show_problem(self, problem: Problem) -> None:
        self._set_busy(False)
        self._refuse(problem.text)

    def _refuse(self, text: str) -> None:
        self.server.set_error(text)
        self.line.setFocus()

    def _set_busy(self, busy: bool) -> None:
        self.connect_button.setEnabled(not busy)
        self.connect_button.setText(tr("Asking the server…") if busy else tr("Continue in browser"))
        self.line.setReadOnly(busy)

    def _fill(self) -> None:
        self.line.setMaxLength(SERVER_MAX)
        self.line.setPlaceholderText(_EXAMPLE)
        if self._practice:
            self.find_link.hide()
            self.server.set_help(tr("Any name such as wool.example works."))

    def _connect(self) -> None:
        self.find_link.clicked.connect(lambda: open_page(CARDS[self._platform].registration.portal))
        self.connect_button.clicked.connect(self._submit)
        self.cancel.clicked.connect(self.dismiss)
        self.line.returnPressed.connect(self._submit)
        self.line.textEdited.connect(lambda: self.server.set_error(""))

    def _lay_out(self) -> None:
        fields = QVBoxLayout()
        fields.setContentsMargins(_INSET, 4, _INSET, 16)
        fields.addWidget(self.server)
        self.layout_.addLayout(self._head())
        self.layout_.addLayout(fields)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.cancel, self.connect_button))

    def _head(self) -> QHBoxLayout:
        explained = (
            tr("Practice servers run on this computer.")
            if self._practice
            else tr("Also for GoToSocial, Pixelfed and Akkoma. You allow access on your server's own page.")
        )
        title, words = QHBoxLayout(), QVBoxLayout()
        title.setSpacing(8)
        title.addWidget(Label(self.accessibleName(), "section", wrap=True), 1)
        if self._practice:
            title.addWidget(PracticeTag())
        words.setSpacing(2)
        words.addStretch(1)
        words.addLayout(title)
        words.addWidget(Label(explained, "card", "text2", wrap=True))
        words.addStretch(1)
        head = QHBoxLayout()
        head.setContentsMargins(_INSET, 20, _INSET, 16)
        head.setSpacing(14)
        head.addWidget(PlatformMark(self._platform.value))
        head.addLayout(words, 1)
        return head
