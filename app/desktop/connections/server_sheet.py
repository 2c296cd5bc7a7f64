"""The sheet that asks for the server or handle of an account, before its page opens in the browser."""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from PySide6.QtCore import Signal
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
    secondary,
)
from app.desktop.widgets.sheet import sheet_foot
from app.desktop.words import handle as written_handle
from app.desktop.words import platform_name
from app.language import tr
from app.platforms.card import SignIn
from app.platforms.cards import CARDS
from app.workspace.accounts.account import Account
from app.workspace.connections.flow import ConnectionFlow
from app.workspace.messages import Problem

_WIDTH, _INSET = 480, 24


class _Words(NamedTuple):
    """What the sheet says: ``link`` is next to the field, ``help`` below it for stand-ins."""

    field: str
    example: str
    missing: str
    link: str
    about: str
    practice: str
    help: str


_SERVER: Final = _Words(
    tr("Server or full address"),
    "@maya@mastodon.social",
    tr("Enter your server or full address, for example {example}."),
    tr("Find a server"),
    tr("Also for GoToSocial, Pixelfed and Akkoma. You allow access on your server's own page."),
    tr("Practice servers run on this computer."),
    tr("Any name such as wool.example works."),
)
_HANDLE: Final = _Words(
    tr("Handle"),
    "maya.bsky.social",
    tr("Enter the handle, for example {example}."),
    tr("Use an app password"),
    tr("You allow access in your browser, and sign in again every two weeks."),
    tr("A practice version of {platform} that runs on this computer."),
    tr("Any handle works."),
)

Begin = Callable[[str], Awaitable[ConnectionFlow]]
"""Starts connecting an account on a server as the user names it. Raises Problem."""


class ServerSheet(Sheet):
    """One field. After it has closed, ``flow`` waits for the browser; None if the user gave up.

    Args:
        host: any widget of the window.
        begin: asks the server for its page.
        platform: of the account.
        practice: whether the servers are stand-ins.
        again: the account to reconnect; None for a new one.
        place: which of several it is, such as "2 of 3"; it can be skipped then.
    """

    skipped = Signal()

    def __init__(
        self,
        host: QWidget,
        begin: Begin,
        platform: ConnectionPlatform,
        *,
        practice: bool = False,
        again: Account | None = None,
        place: str = "",
    ) -> None:
        name = purpose(platform.value, again.name if again else "", place)
        super().__init__(host, name, _WIDTH, closes_beside=False)
        self.flow: ConnectionFlow | None = None
        self.named = ""
        """The server as the user named it, once ``flow`` has begun or ``wants_password`` is set."""
        self.wants_password = False
        """Whether the user chose an app password instead."""
        self._begin, self._platform, self._practice, self._again = begin, platform, practice, again
        self._takes_handle = CARDS[platform].sign_in is SignIn.HANDLE
        self._words = _HANDLE if self._takes_handle else _SERVER
        self._scope = TaskScope(self, self._show_problem)
        self.line = LineEdit()
        self.link = LinkButton(self._words.link)
        self.server = Field(self._words.field, self.line, trailing=self.link)
        self.connect_button = primary(tr("Continue in browser"))
        self.cancel = Button(tr("Cancel"), key_hint="Esc")
        self.skip = secondary(tr("Skip this account"))
        self.skip.setVisible(bool(place))
        self._fill()
        self._lay_out()
        self._connect()

    def _submit(self) -> None:
        self.server.set_error("")
        if not self.line.text().strip():
            self._refuse(self._words.missing.format(example=self._words.example))
        elif self.connect_button.isEnabled():
            self._set_busy(True)
            self._scope.start(self._ask())

    async def _ask(self) -> None:
        # A handle may have changed since the account was connected.
        named = self.line.text().strip() if self._again is None else self._again.identifier
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
        self.line.setReadOnly(busy or self._again is not None)

    def _fill(self) -> None:
        self.line.setMaxLength(SERVER_MAX)
        self.line.setPlaceholderText(self._words.example)
        if self._practice:
            self.link.setVisible(self._takes_handle)
            self.server.set_help(self._words.help)
        if self._again is not None:
            named = self._again.handle or self._again.identifier
            self.line.setText(written_handle(named, self._platform.value))
            self.line.setReadOnly(True)

    def _connect(self) -> None:
        self.link.clicked.connect(self._follow)
        self.connect_button.clicked.connect(self._submit)
        self.cancel.clicked.connect(self.dismiss)
        self.skip.clicked.connect(self.skipped)
        self.line.returnPressed.connect(self._submit)
        self.line.textEdited.connect(lambda: self.server.set_error(""))

    def _follow(self) -> None:
        if not self._takes_handle:
            open_page(CARDS[self._platform].registration.portal)
            return
        self.named, self.wants_password = self.line.text(), True
        self.dismiss()

    def _lay_out(self) -> None:
        fields = QVBoxLayout()
        fields.setContentsMargins(_INSET, 4, _INSET, 16)
        fields.addWidget(self.server)
        self.layout_.addLayout(self._head())
        self.layout_.addLayout(fields)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.skip, self.cancel, self.connect_button))

    def _head(self) -> QHBoxLayout:
        practice = self._words.practice.format(platform=platform_name(self._platform.value))
        explained = practice if self._practice else self._words.about
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
