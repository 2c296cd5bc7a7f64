"""The form for a remote service: address, key, and trusting its certificate."""

import re
from typing import Literal
from urllib.parse import urlsplit

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.desktop.widgets import (
    Button,
    CheckBox,
    IconButton,
    IconLabel,
    Label,
    LineEdit,
    LinkButton,
    Panel,
    primary,
    secondary,
)
from app.desktop.widgets.painting import insets
from app.language import tr

_KEY = re.compile(r"stp_rest_[0-9a-fA-F]{64}")
_KEY_LENGTH = len("stp_rest_") + 64

NO_SCHEME = tr("The address starts with https://, for example https://plan.example.com.")
_BUTTON = 24
FieldName = Literal["address", "key"]
_HELP = tr("Tested, then saved in your keyring or in a file only you can read.")
_ADDRESS_MAX = 2_048
_KEY_MAX = 512


def lacks_scheme(address: str) -> bool:
    """Whether only `https://` is missing from an address."""
    return bool(address) and "://" not in address and not address_problem(f"https://{address}")


def address_problem(address: str) -> str:
    """Return the problem with a service's address, or ""."""
    if not address:
        return tr("Enter the service address, for example https://plan.example.com.")
    try:
        parts = urlsplit(address)
        host, _port = parts.hostname, parts.port
    except ValueError:
        return tr("That isn't an address. It should look like https://plan.example.com.")
    if parts.scheme.lower() == "http":
        return tr("With http://, the key would be sent unencrypted. Use the service's https:// address.")
    if "://" not in address:
        return NO_SCHEME
    if parts.scheme.lower() != "https" or not host or re.search(r"\s", address):
        return tr("That isn't a service address. It should look like https://plan.example.com.")
    if parts.username or parts.password or parts.query or parts.fragment:
        return tr("Enter only the address, without a username, question mark or hash sign.")
    return ""


def key_problem(key: str) -> str:
    """Return the problem with an API key's format, or ""."""
    if not key:
        return tr("Paste the API key. Ask the service's administrator for one.")
    if not key.startswith("stp_rest_"):
        return tr("An API key starts with stp_rest_. Copy the whole key.")
    if len(key) != _KEY_LENGTH:
        return tr(
            "An API key has {length} characters; this has {n}. Copy the whole key.",
            length=_KEY_LENGTH,
            n=len(key),
        )
    if not _KEY.fullmatch(key):
        return tr("After stp_rest_, a key contains only 0 to 9 and a to f. Copy it again.")
    return ""


class SecretEdit(LineEdit):
    """A password field with a button that shows the text.

    Args:
        show: the button's name while the text is hidden.
        hide: its name while the text is visible.
        parent: the owner.
    """

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        show: str = tr("Show the key"),
        hide: str = tr("Hide the key"),
    ) -> None:
        super().__init__(parent=parent)
        self._names = {False: show, True: hide}
        self.setEchoMode(self.EchoMode.Password)
        self.setInputMethodHints(Qt.InputMethodHint.ImhSensitiveData | Qt.InputMethodHint.ImhNoPredictiveText)
        self.reveal = IconButton("eye", show, size="small", checkable=True, parent=self)
        self.reveal.setFixedSize(_BUTTON, _BUTTON)
        self.reveal.setCursor(Qt.CursorShape.ArrowCursor)
        self.reveal.toggled.connect(self._show_text)
        self._make_room()
        row = QHBoxLayout(self)
        row.setContentsMargins(insets(0, 0, 4, 0))
        row.addStretch(1)
        row.addWidget(self.reveal)

    def changeEvent(self, event: QEvent) -> None:
        """Keep the button clear of the text when the layout direction changes."""
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self._make_room()
        super().changeEvent(event)

    def _make_room(self) -> None:
        room = _BUTTON - 2
        is_mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        self.setTextMargins(room if is_mirrored else 0, 0, 0 if is_mirrored else room, 0)

    def _show_text(self, shown: bool) -> None:
        self.setEchoMode(self.EchoMode.Normal if shown else self.EchoMode.Password)
        self.reveal.set_icon("eye-off" if shown else "eye")
        self.reveal.set_name(self._names[shown])


class ServiceForm(QWidget):
    """Address and key, with help or an error below, and the button that tests them."""

    submitted = Signal()
    """The button or Enter was pressed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.address, self.key = LineEdit(), SecretEdit()
        self.address.setPlaceholderText("https://plan.example.com")
        self.address.setMaxLength(_ADDRESS_MAX)
        self.key.setPlaceholderText("stp_rest_…")
        self.key.setMaxLength(_KEY_MAX)
        self._note = Label(_HELP, "card", "text3", wrap=True)
        self._details = Label("", "small", "text2", wrap=True)
        self._remedy = Button(tr("Add https://"), size="small")
        self._more = Button(tr("Details"), "quiet", size="small")
        self._more.setCheckable(True)
        self.proxy = LinkButton(tr("Behind a proxy?"))
        self.submit = primary(tr("Test and start"))
        self.submit.clicked.connect(self.submitted)
        self._more.toggled.connect(self._details.setVisible)
        self._remedy.clicked.connect(self._add_scheme)
        for editor in (self.address, self.key):
            editor.textEdited.connect(self.clear_problem)
            editor.returnPressed.connect(self.submitted)
        self._lay_out()
        self.clear_problem()

    def values(self) -> tuple[str, str]:
        """Return address and key, stripped."""
        return self.address.text().strip(), self.key.text().strip()

    def check(self) -> bool:
        """Return whether both are valid; otherwise show the problem and focus its field."""
        address, key = self.values()
        if problem := address_problem(address):
            self.show_problem(problem, "", "address")
            self._remedy.setVisible(lacks_scheme(address))
        elif problem := key_problem(key):
            self.show_problem(problem, "", "key")
        return not problem

    def show_problem(self, text: str, details: str, field: FieldName) -> None:
        """Show the problem with a field, and focus it."""
        self.clear_problem()
        editor = self.address if field == "address" else self.key
        self._note.setText(text)
        self._note.set_tone("bad")
        self._details.setText(details)
        self._more.setVisible(bool(details))
        self._mark(editor, text)
        editor.setFocus()

    def clear_problem(self) -> None:
        """Show only the help."""
        self._note.setText(_HELP)
        self._note.set_tone("text3")
        self._remedy.hide()
        self._more.setChecked(False)
        self._more.hide()
        self._details.hide()
        for editor in (self.address, self.key):
            self._mark(editor, "")

    def problem(self) -> str:
        """Return the problem shown, or ""."""
        return self._note.text() if self._note.tone() == "bad" else ""

    def _add_scheme(self) -> None:
        self.address.setText(f"https://{self.values()[0]}")
        self.clear_problem()
        self.address.setFocus()

    def _mark(self, editor: QLineEdit, problem: str) -> None:
        editor.setAccessibleDescription(problem or _HELP)
        editor.setProperty("invalid", bool(problem))
        editor.style().unpolish(editor)
        editor.style().polish(editor)

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        fields = ((tr("Address"), self.address), (tr("API key"), self.key))
        for column, (title, editor) in enumerate(fields):
            label = Label(title, "card", "text2", weight=QFont.Weight.Medium)
            label.setBuddy(editor)
            editor.setAccessibleName(title)
            grid.addWidget(label, 0, column)
            grid.addWidget(editor, 1, column)
            grid.setColumnStretch(column, 1)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self._note, 1)
        foot.addWidget(self._remedy)
        foot.addWidget(self._more)
        column_ = QVBoxLayout(self)
        column_.setContentsMargins(0, 0, 0, 0)
        column_.setSpacing(8)
        column_.addLayout(grid)
        column_.addLayout(foot)
        column_.addWidget(self._details)
        end = QHBoxLayout()
        end.addWidget(self.proxy)
        end.addStretch(1)
        end.addWidget(self.submit)
        column_.addSpacing(4)
        column_.addLayout(end)


_UNKNOWN = tr("This computer doesn't recognize the service's certificate")
_ASK = tr(
    "{host} presents the certificate below. Ask the service's administrator "
    "for its fingerprint, and trust it only if both match."
)
_CHANGED = tr("The service's certificate has changed")
_ASK_CHANGED = tr(
    "{host} now presents the certificate below. It may have been renewed, or "
    "someone may be impersonating the service to steal your key. Ask the service's "
    "administrator for the new fingerprint, and trust it only if both match."
)


class TrustPanel(Panel):
    """Host, fingerprint, and two answers. Trusting requires ticking that the fingerprints were compared.

    `changed`: another certificate was trusted before.
    """

    accepted = Signal()
    declined = Signal()

    def __init__(
        self, host: str, fingerprint: str, *, changed: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent=parent)
        name, asked = (_CHANGED, _ASK_CHANGED) if changed else (_UNKNOWN, _ASK)
        self.setAccessibleName(name)
        title = Label(name, "strong", wrap=True)
        ask = Label(asked.format(host=host), "card", "text2", wrap=True)
        self.fingerprint = Label(_in_lines(fingerprint), "mono", "text", wrap=True)
        self.fingerprint.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.fingerprint.setAccessibleName(tr("Fingerprint {fingerprint}", fingerprint=fingerprint))
        self.compared = CheckBox(tr("I compared the fingerprints, and they match"), wrap=True)
        self.accept = secondary(tr("Trust the new certificate") if changed else tr("Trust this certificate"))
        self.accept.setEnabled(False)
        self.compared.toggled.connect(self.accept.setEnabled)
        self.decline = primary(tr("Cancel"))
        self.accept.clicked.connect(self.accepted)
        self.decline.clicked.connect(self.declined)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self.accept)
        buttons.addWidget(self.decline)
        column = QVBoxLayout()
        column.setSpacing(8)
        for widget in (title, ask, self.fingerprint, self.compared):
            column.addWidget(widget)
        column.addSpacing(4)
        column.addLayout(buttons)
        row = QHBoxLayout(self)
        row.setContentsMargins(18, 16, 18, 16)
        row.setSpacing(12)
        icon = IconLabel("triangle-alert" if changed else "key-round", "warn", 20)
        row.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(column, 1)


def _in_lines(fingerprint: str) -> str:
    """Break a fingerprint (`AB:CD:…`) into two lines of equal length, to make comparing easier."""
    pairs = fingerprint.split(":")
    if len(pairs) < 2:
        return fingerprint
    half = (len(pairs) + 1) // 2
    return "\n".join(":".join(part) for part in (pairs[:half], pairs[half:]) if part)
