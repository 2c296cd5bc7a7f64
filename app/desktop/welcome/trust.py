"""The question whether a service's certificate is the right one."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.widgets import CheckBox, IconLabel, Label, Panel, primary, secondary
from app.language import tr

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
    """Host, fingerprint, and two answers. Trusting needs a tick that both fingerprints were compared.

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
        self.compared = CheckBox(tr("I compared the fingerprints, and they match"))
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
    """Break a fingerprint in pairs (`AB:CD:…`) into two lines of equal length, which can be compared."""
    pairs = fingerprint.split(":")
    if len(pairs) < 2:
        return fingerprint
    half = (len(pairs) + 1) // 2
    return "\n".join(":".join(part) for part in (pairs[:half], pairs[half:]) if part)
