"""The sheet that asks for the server or handle of an account, before its page opens in the browser."""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from PySide6.QtWidgets import QWidget

from app.contract.enums import ConnectionPlatform
from app.contract.limits import SERVER_MAX
from app.desktop.aio import TaskScope
from app.desktop.connections.account_sheet import AccountSheet
from app.desktop.opening import open_page
from app.desktop.widgets import (
    Field,
    LineEdit,
    LinkButton,
)
from app.desktop.words import handle as written_handle
from app.desktop.words import platform_name
from app.language import tr
from app.platforms.card import SignIn
from app.platforms.cards import CARDS
from app.workspace.accounts.account import Account
from app.workspace.connections.flow import ConnectionFlow
from app.workspace.messages import Problem


class _Words(NamedTuple):
    """The texts of the sheet: ``link`` is next to the field, ``help`` below it for stand-ins."""

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
    tr("Also for GoToSocial, Pixelfed and Akkoma. You'll allow access on your server's page."),
    tr("Practice servers run on this computer."),
    tr("Any name such as wool.example works."),
)
_HANDLE: Final = _Words(
    tr("Handle"),
    "maya.bsky.social",
    tr("Enter the handle, for example {example}."),
    tr("Use an app password"),
    tr("You'll allow access in your browser and sign in again every two weeks."),
    tr("A practice version of {platform} that runs on this computer."),
    tr("Any handle works."),
)

Begin = Callable[[str], Awaitable[ConnectionFlow]]
"""Starts connecting an account on a server as the user names it. Raises Problem."""


class ServerSheet(AccountSheet):
    """One field. Once closed, ``flow`` waits for the browser; None if the user gave up.

    Args:
        host: any widget of the window.
        begin: requests the page from the server.
        platform: of the account.
        practice: whether the servers are stand-ins.
        again: the account to reconnect; None for a new one.
        place: its position among several accounts, such as "2 of 3"; it can be skipped then.
    """

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
        super().__init__(host, platform, practice=practice, again=again, place=place)
        self.flow: ConnectionFlow | None = None
        self.named = ""
        """The server as the user named it, once ``flow`` has begun or ``wants_password`` is set."""
        self.wants_password = False
        """Whether the user chose an app password instead."""
        self._begin = begin
        self._takes_handle = CARDS[platform].sign_in is SignIn.HANDLE
        self._words = _HANDLE if self._takes_handle else _SERVER
        self._scope = TaskScope(self, self._show_problem)
        self.line = LineEdit()
        self.link = LinkButton(self._words.link)
        self.server = Field(self._words.field, self.line, trailing=self.link)
        self.connect_button.setText(tr("Continue in browser"))
        self._fill()
        self.lay_out(self._about(), self.server)
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
        named = self.line.text().strip() if self.again is None else self.again.identifier
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
        self.line.setReadOnly(busy or self.again is not None)

    def _fill(self) -> None:
        self.line.setMaxLength(SERVER_MAX)
        self.line.setPlaceholderText(self._words.example)
        if self.practice:
            self.link.setVisible(self._takes_handle)
            self.server.set_help(self._words.help)
        if self.again is not None:
            named = self.again.handle or self.again.identifier
            self.line.setText(written_handle(named, self.platform.value))
            self.line.setReadOnly(True)

    def _connect(self) -> None:
        self.link.clicked.connect(self._follow)
        self.connect_button.clicked.connect(self._submit)
        self.line.returnPressed.connect(self._submit)
        self.line.textEdited.connect(lambda: self.server.set_error(""))

    def _follow(self) -> None:
        if not self._takes_handle:
            open_page(CARDS[self.platform].registration.portal)
            return
        self.named, self.wants_password = self.line.text(), True
        self.dismiss()

    def _about(self) -> str:
        practice = self._words.practice.format(platform=platform_name(self.platform.value))
        return practice if self.practice else self._words.about
