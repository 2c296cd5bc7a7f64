"""The page that shows what's in a setup pack, and sets up its platforms if the user agrees."""

from typing import Final
from urllib.parse import urlsplit

from PySide6.QtCore import QMargins, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.contract.limits import PACK_PASSPHRASE_MAX
from app.contract.packs import MakerStanding, PackedAppSummary
from app.desktop.local_time import local
from app.desktop.widgets import (
    CheckBox,
    Field,
    IconLabel,
    Label,
    LineEdit,
    Panel,
    StateStrip,
    announce,
    primary,
    quiet,
)
from app.desktop.widgets.painting import insets
from app.desktop.words import date_long, dollars, joined
from app.language import tr, trn
from app.workspace.connections.packs import OpenedPack, prices_of

_STANDINGS: Final = {
    MakerStanding.NEW: (
        "info",
        tr(
            "You haven't used a pack by this maker before. Anyone can use this name: ask the maker for the "
            "key, and compare the key."
        ),
    ),
    MakerStanding.KNOWN: ("circle-check", tr("Signed with the same key as the pack you used before.")),
    MakerStanding.CHANGED: (
        "triangle-alert",
        tr(
            "You used a pack by this maker before, and it was signed with another key. "
            "Ask the maker whether this pack is really theirs."
        ),
    ),
    MakerStanding.OWN: ("circle-check", tr("You made this pack on this computer.")),
}
_TONES: Final = {"info": "text3", "circle-check": "ok", "triangle-alert": "warn"}


class UsePackPage(QWidget):
    """Emits signals for all requests; the owner talks to the service.

    Args:
        pack: read, but not used yet.
    """

    left = Signal()
    wanted = Signal(object, str)
    """The list of platforms to set up, and the passphrase; "" if none is needed."""

    def __init__(self, pack: OpenedPack) -> None:
        super().__init__()
        self.pack = pack
        self._is_busy = False
        self._summary = pack.summary
        self.back = quiet(tr("All platforms"), "chevron-left", "small")
        self.strip = StateStrip()
        self.boxes = {app.platform: CheckBox(app.name) for app in self._summary.apps}
        self.line = LineEdit()
        self.line.setEchoMode(QLineEdit.EchoMode.Password)
        self.line.setMaxLength(PACK_PASSPHRASE_MAX)
        help_text = tr("You got it from the pack's maker. It decrypts the apps' secrets.")
        self.passphrase = Field(tr("Passphrase"), self.line, help_text)
        self.use = primary("")
        self._lay_out()
        for app in self._summary.apps:
            self.boxes[app.platform].setChecked(app.changeable)
            self.boxes[app.platform].setEnabled(app.changeable)
            self.boxes[app.platform].toggled.connect(self._show_choice)
        self.back.clicked.connect(self.left)
        self.use.clicked.connect(self._submit)
        self.line.returnPressed.connect(self._submit)
        self._show_choice()

    def refuse(self, text: str, kind: str) -> None:
        """Show why the pack wasn't used, at the passphrase if that's the reason."""
        if kind in {"wrong_passphrase", "passphrase_missing"}:
            self.passphrase.set_error(text)
            self.line.setFocus()
            self.line.selectAll()
        else:
            self.strip.say(text, "bad", can_act=False)
        announce(self, text)

    def set_busy(self, *, busy: bool) -> None:
        """Disable the button while the service is working."""
        self._is_busy = busy
        self._show_choice()

    def _chosen(self) -> list[PackedAppSummary]:
        return [app for app in self._summary.apps if self.boxes[app.platform].isChecked()]

    def _show_choice(self) -> None:
        count = len(self._chosen())
        self.use.setText(trn("Set up {n} platform", "Set up {n} platforms", count))
        self.use.setEnabled(count > 0 and not self._is_busy)
        self.passphrase.setVisible(any(app.has_secret for app in self._chosen()))

    def _submit(self) -> None:
        if not self.use.isEnabled():
            return
        self.passphrase.set_error("")
        self.strip.say("")
        typed = self.line.text() if not self.passphrase.isHidden() else ""
        if not typed and not self.passphrase.isHidden():
            self.refuse(tr("Enter the passphrase that you got from the pack's maker."), "passphrase_missing")
            return
        self.wanted.emit([app.platform for app in self._chosen()], typed)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(14)
        column.addLayout(self._head())
        column.addWidget(self.strip)
        if self._summary.note:
            column.addWidget(_quoted(self._summary.note))
        column.addWidget(self._standing())
        for app in self._summary.apps:
            column.addWidget(self._app(app))
        terms = QVBoxLayout()
        terms.setSpacing(6)
        for text in self._terms():
            terms.addWidget(Label(text, "card", "text2", wrap=True))
        column.addLayout(terms)
        column.addWidget(self.passphrase)
        row = QHBoxLayout()
        row.addWidget(self.use)
        row.addStretch(1)
        column.addLayout(row)
        column.addStretch(1)

    def _head(self) -> QHBoxLayout:
        words = QVBoxLayout()
        words.setSpacing(1)
        title = tr("Setup pack by {maker}", maker=self._summary.maker)
        words.addWidget(Label(title, "section", wrap=True))
        made = tr("Made on {day}", day=date_long(local(self._summary.made_at).date()))
        words.addWidget(Label(made, "card", "text3"))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addLayout(words, 1)
        row.addWidget(self.back)
        return row

    def _standing(self) -> QWidget:
        """Say whether the maker is known, on a tint if somebody else may have made the pack."""
        icon, text = _STANDINGS.get(self._summary.standing, _STANDINGS[MakerStanding.NEW])
        key = tr("Key: {fingerprint}", fingerprint=self._summary.fingerprint)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(Label(text, "card", "text2", wrap=True))
        words.addWidget(Label(key, "card", "text2", wrap=True))
        is_warning = icon == "triangle-alert"
        holder = Panel(fill="warn_soft") if is_warning else QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(insets(12, 10, 12, 10) if is_warning else QMargins())
        row.setSpacing(9)
        row.addWidget(IconLabel(icon, _TONES[icon], 16))
        row.addLayout(words, 1)
        return holder

    def _app(self, app: PackedAppSummary) -> QWidget:
        panel = Panel()
        column = QVBoxLayout(panel)
        column.setContentsMargins(insets(14, 10, 12, 12))
        column.setSpacing(6)
        column.addWidget(self.boxes[app.platform])
        for text in about(app):
            column.addWidget(Label(text, "card", "text2", wrap=True))
        return panel

    def _terms(self) -> list[str]:
        """Return whose limits and bill the apps use, and what their maker can do."""
        maker = self._summary.maker
        told = [
            tr("The apps belong to {maker}. Everyone who uses this pack shares their limits.", maker=maker),
            *(_bill(app, maker) for app in self._summary.apps),
            tr(
                "{maker} can turn the apps off, and your accounts then stop working. "
                "{maker} can't use your accounts.",
                maker=maker,
            ),
        ]
        return [text for text in told if text]


def about(app: PackedAppSummary) -> list[str]:
    """Return what an app of a pack can do and needs, each in a sentence."""
    told = []
    if not app.changeable:
        told.append(tr("This app is configured in service.toml, which takes precedence over packs."))
    elif app.replaces:
        told.append(tr("Replaces the app that's set up now. Accounts connected with it must be reconnected."))
    if app.scopes:
        told.append(tr("Asks for these permissions: {scopes}.", scopes=joined(app.scopes)))
    if app.secret_needed and not app.has_secret:
        told.append(tr("The pack doesn't contain the app's secret. You have to enter it afterwards."))
    if not app.returns:
        host = urlsplit(app.redirect_uri).netloc
        told.append(
            tr(
                "After you allow access, the browser opens {host}, which can see that sign-in. "
                "You then paste the page's address into Kalends.",
                host=host,
            )
        )
    return told


def _bill(app: PackedAppSummary, maker: str) -> str:
    prices = prices_of(app.platform)
    if prices is None:
        return ""
    return tr(
        "{platform} charges {maker} for each of your posts: {price}, or {more} with a link.",
        platform=app.name,
        maker=maker,
        price=dollars(prices.post),
        more=dollars(prices.post_with_link),
    )


def _quoted(note: str) -> QWidget:
    panel = Panel(fill="sunken")
    column = QVBoxLayout(panel)
    column.setContentsMargins(12, 8, 12, 8)
    column.addWidget(Label(note, "card", "text", wrap=True))
    return panel
