"""The sheet that waits for the browser."""

from datetime import UTC, datetime

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.connections.steps import Step
from app.desktop.theme import theme
from app.desktop.widgets import (
    Button,
    Divider,
    Field,
    Label,
    LineEdit,
    MessageStrip,
    PracticeTag,
    Sheet,
    ends_of,
    primary,
    quiet,
    secondary,
)
from app.desktop.widgets.painting import draw_icon, insets, rounded
from app.desktop.words import platform_name
from app.language import tr, trc
from app.platforms.cards import brand_of

_WIDTH = 520
_SECOND_MS = 1_000
_ADDRESS_MAX = 8_192
"""Maximum length of a pasted address."""


class WaitingSheet(Sheet):
    """Three steps: the browser opens, the user allows access, the account appears. Esc cancels.

    Args:
        host: the widget that connects.
        platform: of the account.
        practice: whether the platform is a stand-in.
        again: the name of the account to reconnect, "" for a new one.
        place: its position among several accounts, such as "2 of 3"; it can be skipped then.
    """

    key_wanted = Signal()
    """The user wants to enter an API key that may connect accounts."""
    open_again = Signal()
    skipped = Signal()
    pasted = Signal(str)
    retry = Signal()

    def __init__(
        self, host: QWidget, platform: str, *, practice: bool = False, again: str = "", place: str = ""
    ) -> None:
        super().__init__(host, purpose(platform, again, place), _WIDTH, closes_beside=False)
        self._platform, self._practice, self._account = platform, practice, again
        self._link, self._ends = "", datetime.now(UTC)
        self._title = Label(tr("Waiting for your browser"), "section")
        self._left, self._left_word = (
            Label("", "title"),
            Label(trc("below minutes and seconds", "left"), "small", "text3"),
        )
        self._first, self._second, self._third = Step(1), Step(2), Step(3)
        self._again, self._copy = (
            secondary(tr("Open again"), "external-link"),
            secondary(tr("Copy link"), "copy"),
        )
        self._paste_link = quiet(tr("Browser shows an error?"), "clipboard-paste")
        self._address = LineEdit()
        self._paste_go = secondary(tr("Continue"))
        self.paste = Field(
            tr("Address or message"),
            self._address,
            tr("Paste the page's address, or the message it shows."),
            beside=self._paste_go,
        )
        self.try_again, self.enter_key = primary(tr("Try again")), primary(tr("Enter new key"))
        self.cancel = Button(tr("Cancel"), key_hint="Esc")
        self.skip = secondary(tr("Skip this account"))
        if not place:
            self.skip.hide()
        self._strip: MessageStrip | None = None
        self._tick = QTimer(self)
        self._tick.setInterval(_SECOND_MS)
        self._tick.timeout.connect(self._show_left)
        self._lay_out()
        self._connect()
        self.show_beginning()

    def show_beginning(self) -> None:
        """Show that the page is being requested from the service."""
        self._forget_problem()
        self._title.setText(tr("Waiting for your browser"))
        self._first.set_state("now", tr("Opening your browser"))
        self._second.set_state("later", tr("Sign in and allow access"))
        self._third.set_state("later", tr("The account appears here"))
        self._allow(open_=False)

    def show_link(self, url: str, host: str, expires_at: datetime) -> None:
        """Show which page to open, and until when it's valid."""
        self._link, self._ends = url, expires_at
        name = platform_name(self._platform)
        self._second.set_state("now", _sign_in(self._account, "" if self._practice else host))
        self._second.set_help(
            tr(
                "A practice version of the platform that runs on this computer. This window "
                "updates by itself."
            )
            if self._practice
            else tr("Your password stays with {name}. This window updates by itself.", name=name)
        )
        self._allow(open_=True)
        self._tick.start()
        self._show_left()

    def show_opened(self, *, opened: bool) -> None:
        """Show whether a browser opened."""
        if opened:
            self._first.set_state("done", tr("Browser opened"))
        else:
            self._first.set_state("problem", tr("No browser opened. Copy the link and open it yourself."))
            self._copy.setFocus()

    def show_pasted(self) -> None:
        """Show that the pasted address was accepted."""
        self.paste.set_error("")
        self.paste.set_help(tr("Done. The account will appear in a moment."))

    def show_choice(self, url: str) -> None:
        """Show that several accounts were allowed, and offer the page for choosing among them."""
        self._link = url
        self._second.set_state("now", tr("Choose accounts in your browser"))
        self.paste.set_error("")
        self.paste.set_help(tr("Done. You allowed several accounts; choose which ones to connect."))

    def show_paste_problem(self, text: str) -> None:
        """Show what is wrong with the pasted address."""
        self.paste.set_error(text)
        self.paste.editor.setFocus()

    def show_account(self, name: str) -> None:
        """Show that the account arrived."""
        self._tick.stop()
        self._show_time(visible=False)
        self._title.setText(tr("Connected"))
        self._first.set_state("done", tr("Browser opened"))
        self._second.set_state("done", tr("Access allowed"))
        self._third.set_state("done", name)
        self._allow(open_=False)
        self.cancel.setEnabled(False)
        self.skip.setEnabled(False)

    def show_forbidden(self, details: str, *, takes_key: bool) -> None:
        """Show that the API key may not connect accounts, which another attempt wouldn't change."""
        self.show_problem(tr("This API key can't connect accounts."), details)
        self.try_again.hide()
        self.enter_key.setVisible(takes_key)
        (self.enter_key if takes_key else self.cancel).setFocus()

    def show_problem(self, text: str, details: str) -> None:
        """Show why it failed; "Try again" starts over."""
        self._forget_problem()
        self._tick.stop()
        self._show_time(visible=False)
        self._title.setText(tr("Not connected"))
        has_opened = self._first.state() == "done"
        if self._first.state() == "now":
            self._first.set_state("failed", tr("No browser opened"))
        self._second.set_state("failed" if has_opened else "later", tr("Sign in and allow access"))
        self._allow(open_=False)
        self._strip = strip = MessageStrip("error", text, details, closable=False)
        self._problem.setContentsMargins(0, 12, 0, 0)
        self._problem.addWidget(strip)
        self.try_again.show()
        self.try_again.setFocus()

    def problem(self) -> str:
        """Return the error message, or ""."""
        return self._strip.accessibleName() if self._strip is not None else ""

    def steps(self) -> list[str]:
        """Return the titles of the three steps."""
        return [step.text() for step in (self._first, self._second, self._third)]

    def time_left(self) -> str:
        """Return the countdown, such as 14:21."""
        return self._left.text()

    def _allow(self, *, open_: bool) -> None:
        """Show the controls that are useful while the page is open."""
        self._second.set_buttons_visible(visible=open_)
        self._paste_link.setVisible(open_ and not self._paste_row.isVisibleTo(self.panel))
        if not open_:
            self._paste_row.hide()
            self._second.set_help("")

    def _forget_problem(self) -> None:
        self.try_again.hide()
        self.enter_key.hide()
        self.cancel.setEnabled(True)
        if self._strip is not None:
            self._problem.removeWidget(self._strip)
            self._problem.setContentsMargins(0, 0, 0, 0)
            self._strip.hide()
            self._strip.deleteLater()
            self._strip = None

    def _show_left(self) -> None:
        seconds = max(0, round((self._ends - datetime.now(UTC)).total_seconds()))
        self._left.setText(f"{seconds // 60}:{seconds % 60:02}")
        self._show_time(visible=True)

    def _show_time(self, *, visible: bool) -> None:
        self._left.setVisible(visible)
        self._left_word.setVisible(visible)

    def _copy_link(self) -> None:
        QGuiApplication.clipboard().setText(self._link)
        self._copy.setText(tr("Copied"))
        QTimer.singleShot(2 * _SECOND_MS, self._copy, lambda: self._copy.setText(tr("Copy link")))

    def _open_paste(self) -> None:
        self._paste_link.hide()
        self._paste_row.show()
        self.paste.editor.setFocus()

    def _send_paste(self) -> None:
        address = self._address.text().strip()
        if not address:
            self.show_paste_problem(tr("Copy the address or the message from the browser first."))
            return
        self.pasted.emit(address)

    def _connect(self) -> None:
        self._again.clicked.connect(self.open_again)
        self._copy.clicked.connect(self._copy_link)
        self._paste_link.clicked.connect(self._open_paste)
        self._paste_go.clicked.connect(self._send_paste)
        self._address.returnPressed.connect(self._send_paste)
        self.try_again.clicked.connect(self.retry)
        self.enter_key.clicked.connect(self.key_wanted)
        self.cancel.clicked.connect(self.dismiss)
        self.skip.clicked.connect(self.skipped)

    def _lay_out(self) -> None:
        steps = QVBoxLayout()
        steps.setContentsMargins(24, 6, 24, 16)
        steps.setSpacing(0)
        self._second.add_buttons(self._again, self._copy)
        self._third.set_last()
        for step in (self._first, self._second, self._third):
            steps.addWidget(step)
        self._paste_row = self._paste_widget()
        steps.addWidget(self._paste_row)
        self._problem = QVBoxLayout()
        steps.addLayout(self._problem)
        foot = ends_of(self._paste_link, self.skip, self.cancel, self.try_again, self.enter_key, always=True)
        foot.setContentsMargins(insets(12, 12, 24, 12))
        self.layout_.addLayout(self._head())
        self.layout_.addLayout(steps)
        self.layout_.addWidget(Divider())
        self.layout_.addWidget(foot)

    def _head(self) -> QHBoxLayout:
        words, time = QVBoxLayout(), QVBoxLayout()
        title = QHBoxLayout()
        title.setSpacing(8)
        title.addWidget(self._title)
        if self._practice:
            title.addWidget(PracticeTag())
        title.addStretch(1)
        words.setSpacing(2)
        words.addStretch(1)
        words.addLayout(title)
        words.addWidget(Label(self.accessibleName(), "text", "text2", wrap=True))
        words.addStretch(1)
        time.setSpacing(0)
        time.addStretch(1)
        for label in (self._left, self._left_word):
            time.addWidget(label, 0, Qt.AlignmentFlag.AlignRight)
        time.addStretch(1)
        head = QHBoxLayout()
        head.setContentsMargins(24, 20, 24, 16)
        head.setSpacing(14)
        head.addWidget(PlatformMark(self._platform))
        head.addLayout(words, 1)
        head.addLayout(time)
        return head

    def _paste_widget(self) -> QWidget:
        self._address.setMaxLength(_ADDRESS_MAX)
        self._address.setPlaceholderText("http://127.0.0.1…")
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(insets(38, 10, 0, 0))
        row.addWidget(self.paste)
        holder.hide()
        return holder


def purpose(platform: str, again: str, place: str) -> str:
    """Return the title of a sheet that connects an account; ``again`` names one to reconnect."""
    name = platform_name(platform)
    if not again:
        if name[0] in "IX":
            return tr("Connect an {platform} account", platform=name)
        return tr("Connect a {platform} account", platform=name)
    words = tr("Reconnect {account} on {platform}", account=again, platform=name)
    return f"{words} ({place})" if place else words


def _sign_in(account: str, host: str) -> str:
    """Return the title of the second step; ``host`` is empty for the practice page."""
    if account and host:
        return tr("Sign in as {account} and allow access at {host}", account=account, host=host)
    if account:
        return tr("Sign in as {account} and allow access on the practice page", account=account)
    if host:
        return tr("Sign in and allow access at {host}", host=host)
    return tr("Sign in and allow access on the practice page")


class PlatformMark(QWidget):
    """The platform's mark on its colour; a mark that is itself a tile fills it."""

    def __init__(self, platform: str) -> None:
        super().__init__()
        self._platform = platform
        self.setFixedSize(45, 45)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, rect = QPainter(self), QRectF(self.rect())
        fill, glyph = theme.current().tokens.brand(self._platform)
        if brand_of(self._platform).is_tile:
            rounded(painter, rect.adjusted(3, 3, -3, -3), 10, fill=glyph)
            draw_icon(painter, rect.adjusted(-4, -4, 4, 4), f"brand:{self._platform}", fill)
            return
        rounded(painter, rect, 10, fill=fill)
        draw_icon(painter, rect.adjusted(7, 7, -7, -7), f"brand:{self._platform}", glyph)
