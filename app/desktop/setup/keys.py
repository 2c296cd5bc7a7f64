"""The keys of an app: typed once, handed to the service, and not shown again."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.contract.companion import PlatformSetup
from app.contract.limits import ADDRESS_MAX, CLIENT_ID_MAX, CLIENT_SECRET_MAX
from app.desktop.setup import wording
from app.desktop.widgets import Field, LineEdit, danger, primary
from app.desktop.words import platform_name
from app.language import tr


class KeysForm(QWidget):
    """Three fields and what to do with them."""

    given = Signal(str, str, str)
    """Id, secret and the own redirect address; each of the latter two may be empty."""
    forgotten = Signal()

    def __init__(self, setup: PlatformSetup) -> None:
        super().__init__()
        name = platform_name(setup.platform.value)
        self._secret_needed = setup.secret_needed
        self.client_id, self.secret, self.address = LineEdit(), LineEdit(), LineEdit()
        self.secret.setEchoMode(QLineEdit.EchoMode.Password)
        self.client_id.setMaxLength(CLIENT_ID_MAX)
        self.secret.setMaxLength(CLIENT_SECRET_MAX)
        self.address.setMaxLength(ADDRESS_MAX)
        kept = tr("Saved. Enter it again to change it.") if setup.credentials else ""
        optional = "" if setup.secret_needed else tr("{name} issues one for web apps only.", name=name)
        self.id_field = Field(wording.id_name(setup.platform), self.client_id, kept)
        self.secret_field = Field(wording.secret_name(setup.platform), self.secret, optional)
        self.address_field = Field(
            tr("Another redirect address"),
            self.address,
            tr(
                "Only if {name} doesn't accept the address above: any https address you "
                "own. The browser ends up there, and you paste that page's address here.",
                name=name,
            ),
        )
        self.save = primary(tr("Save and test"))
        self.forget = danger(tr("Remove this app"))
        if not setup.credentials:
            self.forget.hide()
        self._lay_out()
        self.save.clicked.connect(self._give)
        self.forget.clicked.connect(self.forgotten)
        for editor in (self.client_id, self.secret, self.address):
            editor.returnPressed.connect(self._give)

    def refuse(self, field: str, text: str) -> None:
        """Say what is wrong with a field, by its name in the contract."""
        fields = {"client_secret": self.secret_field, "redirect_uri": self.address_field}
        found = fields.get(field, self.id_field)
        found.set_error(text)
        found.editor.setFocus()

    def set_busy(self, *, busy: bool) -> None:
        """Whether the service is being told."""
        self.save.setEnabled(not busy)
        self.forget.setEnabled(not busy)

    def _give(self) -> None:
        if not self.save.isEnabled():
            return
        given = [editor.text().strip() for editor in (self.client_id, self.secret, self.address)]
        for field in (self.id_field, self.secret_field, self.address_field):
            field.set_error("")
        if not given[0]:
            self.refuse("client_id", tr("Copy it from the platform's page."))
        elif self._secret_needed and not given[1]:
            self.refuse("client_secret", tr("Copy it from the platform's page."))
        elif given[2] and not given[2].startswith("https://"):
            self.refuse("redirect_uri", tr("Starts with https://."))
        else:
            self.given.emit(*given)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        for field in (self.id_field, self.secret_field, self.address_field):
            column.addWidget(field)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.save)
        row.addWidget(self.forget)
        row.addStretch(1)
        column.addLayout(row)
