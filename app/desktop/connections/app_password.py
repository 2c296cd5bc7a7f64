"""The sheet that connects an account with a handle and an app password, without a browser."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.contract.enums import ConnectionPlatform
from app.contract.limits import APP_PASSWORD_MAX, HANDLE_MAX
from app.desktop.aio import TaskScope
from app.desktop.connections.account_sheet import AccountSheet
from app.desktop.opening import open_page
from app.desktop.welcome.service_form import SecretEdit
from app.desktop.widgets import (
    Field,
    LineEdit,
    LinkButton,
    MessageStrip,
)
from app.desktop.words import handle as written_handle
from app.desktop.words import platform_name
from app.language import tr
from app.platforms.cards import CARDS
from app.workspace.accounts.account import Account
from app.workspace.connections.places import Places
from app.workspace.messages import Problem

_HANDLE_EXAMPLE = "maya.bsky.social"
_PASSWORD_EXAMPLE = "abcd-efgh-2345-6789"  # noqa: S105  an example


class AppPasswordSheet(AccountSheet):
    """Two fields. Once closed, ``account`` is the connected account; None if the user gave up.

    Args:
        host: any widget of the window.
        places: connects the account.
        platform: of the account.
        practice: whether the network is a stand-in.
        again: the account to reconnect; None for a new one.
        place: its position among several accounts, such as "2 of 3"; it can be skipped then.
        handle: initial text of the first field.
    """

    def __init__(
        self,
        host: QWidget,
        places: Places,
        platform: ConnectionPlatform,
        *,
        practice: bool = False,
        again: Account | None = None,
        place: str = "",
        handle: str = "",
    ) -> None:
        super().__init__(host, platform, practice=practice, again=again, place=place)
        self.account: Account | None = None
        self._places = places
        self._scope = TaskScope(self, self._show_problem)
        self._strip: MessageStrip | None = None
        self._problem = QVBoxLayout()
        show, hide = tr("Show the app password"), tr("Hide the app password")
        self._handle_line, self._password_line = LineEdit(), SecretEdit(show=show, hide=hide)
        self.create_link = LinkButton(tr("Create an app password"))
        self.handle = Field(tr("Handle"), self._handle_line)
        self.password = Field(tr("App password"), self._password_line, trailing=self.create_link)
        self.connect_button.setText(self._label(busy=False))
        self._handle_line.setText(handle)
        self._fill()
        self.lay_out(self._about(), self.handle, self.password, below=self._problem)
        self._connect()

    @property
    def first(self) -> LineEdit:
        """The field that gets the focus first."""
        return self._password_line if self._handle_line.text() else self._handle_line

    def problem(self) -> str:
        """Return the error message, or ""."""
        strip = self._strip.accessibleName() if self._strip is not None else ""
        return self.handle.error() or self.password.error() or strip

    def _submit(self) -> None:
        self._clear()
        if not self._handle_line.text().strip():
            self._refuse(self.handle, tr("Enter the handle, for example {example}.", example=_HANDLE_EXAMPLE))
        elif not self._password_line.text().strip():
            self._refuse(self.password, tr("Enter the app password."))
        elif self.connect_button.isEnabled():
            self._set_busy(True)
            self._scope.start(self._sign_in())

    async def _sign_in(self) -> None:
        handle, password = self._handle_line.text(), self._password_line.text()
        self.account = await self._places.connect(self.platform, handle, password, self.again)
        self.dismiss()

    def _show_problem(self, problem: Problem) -> None:
        self._set_busy(False)
        if problem.kind == "unknown_handle" and self.again is None:
            self._refuse(self.handle, problem.text)
        elif problem.kind in ("not_an_app_password", "wrong_app_password"):
            self._refuse(self.password, problem.text)
        else:
            self._strip = MessageStrip("error", problem.text, problem.details, closable=False)
            self._problem.setContentsMargins(0, 12, 0, 0)
            self._problem.addWidget(self._strip)
            self.connect_button.setFocus()

    def _refuse(self, field: Field, text: str) -> None:
        field.set_error(text)
        field.editor.setFocus()

    def _clear(self) -> None:
        self.handle.set_error("")
        self.password.set_error("")
        if self._strip is not None:
            self._problem.removeWidget(self._strip)
            self._problem.setContentsMargins(0, 0, 0, 0)
            self._strip.hide()
            self._strip.deleteLater()
            self._strip = None

    def _set_busy(self, busy: bool) -> None:
        self.connect_button.setEnabled(not busy)
        self.connect_button.setText(self._label(busy=busy))
        for editor in (self._handle_line, self._password_line):
            editor.setReadOnly(busy or (editor is self._handle_line and self.again is not None))

    def _label(self, *, busy: bool) -> str:
        if busy:
            return tr("Connecting…")
        return tr("Reconnect") if self.again is not None else tr("Connect")

    def _fill(self) -> None:
        self._handle_line.setMaxLength(HANDLE_MAX)
        self._handle_line.setPlaceholderText(_HANDLE_EXAMPLE)
        self._password_line.setMaxLength(APP_PASSWORD_MAX)
        self._password_line.setPlaceholderText(_PASSWORD_EXAMPLE)
        if self.again is not None:
            named = self.again.handle or self.again.identifier
            self._handle_line.setText(written_handle(named, self.platform.value))
            self._handle_line.setReadOnly(True)
        if self.practice:
            self.create_link.hide()
            self.handle.set_help(tr("Any handle works."))
            self.password.set_help(tr("Any letters and digits in this form work."))

    def _connect(self) -> None:
        self.create_link.clicked.connect(lambda: open_page(CARDS[self.platform].registration.portal))
        self.connect_button.clicked.connect(self._submit)
        for editor in (self._handle_line, self._password_line):
            editor.returnPressed.connect(self._submit)
            editor.textEdited.connect(self._clear)

    def _about(self) -> str:
        if not self.practice:
            return tr("The app password is used once and isn't stored. You can revoke it at any time.")
        name = platform_name(self.platform.value)
        return tr("A practice version of {platform} that runs on this computer.", platform=name)
