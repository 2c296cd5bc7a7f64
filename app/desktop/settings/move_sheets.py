"""The sheets that ask before a calendar moves: to which server, or back to this computer."""

from typing import Final
from urllib.parse import urlsplit

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.aio import TaskScope
from app.desktop.settings.rows import ConfirmSheet
from app.desktop.welcome.service_form import FieldName, ServiceForm, TrustPanel
from app.desktop.widgets import Button, Divider, Label, Sheet, primary, scrolled
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr
from app.workspace.homes import Home
from app.workspace.homes.certificates import PresentedCertificate
from app.workspace.homes.moving.note import Direction, MoveNote
from app.workspace.homes.visit import UntrustedCertificateError, Visits
from app.workspace.messages import Problem

_WIDTH: Final = 560
_INSET: Final = 20
_THERE: Final = tr(
    "Posts, files, connected accounts, history and analytics move to the server, which then publishes your "
    "posts even while this computer is off. Drafts and posting times stay in the app."
)
_NEEDED: Final = tr(
    "You need the server's address and a key for an empty account on it. Ask its administrator for both. "
    "Nothing is published while the calendar moves; posts that become due are published right after."
)
_BACK: Final = tr(
    "Posts, files, history and analytics move to this computer. From then on, posts are only published "
    "while it's on."
)
_AGAIN: Final = tr("You may have to reconnect your accounts: servers usually don't share account access.")
_PAUSE: Final = tr("Nothing is published while the calendar moves, and nothing is deleted on the server.")


class MoveThereSheet(Sheet):
    """Asks for a server and tests it. Esc and Cancel change nothing."""

    chosen = Signal(object, str)
    """The MoveNote of a tested server, and its key."""

    def __init__(self, host: QWidget, home: Home, visits: Visits) -> None:
        title = tr("Move {name} to a server", name=home.name)
        super().__init__(host, title, _WIDTH, closes_beside=False)
        self._visits = visits
        self._scope = TaskScope(self, self._refused)
        self._trusted: PresentedCertificate | None = None
        self._trust: TrustPanel | None = None
        self.form = ServiceForm()
        self.form.proxy.hide()
        self.form.submit.setText(tr("Test and move"))
        self.cancel = Button(tr("Cancel"), key_hint="Esc")
        content = QWidget()
        self._body = QVBoxLayout(content)
        self._body.setContentsMargins(_INSET, 16, _INSET, 16)
        self._body.setSpacing(12)
        self._body.addWidget(Label(title, "section"))
        for text in (_THERE, _NEEDED):
            self._body.addWidget(Label(text, "text", "text2", wrap=True))
        self._body.addWidget(self.form)
        self._body.addStretch(1)
        self.layout_.addWidget(scrolled(content))
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.cancel, self.form.submit))
        self.cancel.clicked.connect(self.dismiss)
        self.form.submitted.connect(self._submit)
        self.form.address.textEdited.connect(self._forget_trust)

    def ask(self) -> None:
        """Open the sheet."""
        self.present(self.form.address)

    def dismiss(self) -> None:
        """Close, and cancel a running test."""
        self._scope.cancel()
        super().dismiss()

    def _submit(self) -> None:
        if self.form.check() and self.form.submit.isEnabled():
            self._set_busy(busy=True)
            self._scope.start(self._test())

    async def _test(self) -> None:
        address, key = self.form.values()
        try:
            tested = await self._visits.test_destination(address, key, trusted=self._trusted)
        except UntrustedCertificateError as error:
            self._ask_trust(address, error)
            return
        pinned = tested.pinned_certificate
        note = MoveNote(direction=Direction.THERE, base_url=tested.base_url, pinned_certificate=pinned)
        self.dismiss()
        self.chosen.emit(note, key)

    def _forget_trust(self) -> None:
        """Trust no certificate of another address."""
        self._trusted = None

    def _set_busy(self, *, busy: bool) -> None:
        self.form.setEnabled(not busy)
        self.form.submit.setEnabled(not busy)

    def _ask_trust(self, address: str, error: UntrustedCertificateError) -> None:
        fingerprint, host = error.certificate.fingerprint, urlsplit(address).netloc
        self.form.hide()
        self.form.submit.hide()
        self._trust = trust = TrustPanel(host, fingerprint, changed=error.changed)
        trust.accepted.connect(lambda: self._answer_trust(error.certificate))
        trust.declined.connect(lambda: self._answer_trust(None))
        self._body.insertWidget(self._body.count() - 1, trust)
        trust.compared.setFocus()

    def _answer_trust(self, trusted: PresentedCertificate | None) -> None:
        if self._trust is not None:
            self._trust.hide()
            self._trust.deleteLater()
            self._trust = None
        self._trusted = trusted
        self.form.show()
        self.form.submit.show()
        self._set_busy(busy=False)
        self.form.address.setFocus()
        if trusted is not None:
            self._submit()

    def _refused(self, problem: Problem) -> None:
        self._set_busy(busy=False)
        field: FieldName = "key" if problem.kind == "key_refused" else "address"
        self.form.show_problem(problem.text, problem.details, field)


def ask_back(host: QWidget, home: Home) -> ConfirmSheet:
    """Return the sheet that asks whether to move a calendar to this computer."""
    title = tr("Move {name} to this computer?", name=home.name)
    go = primary(tr("Move to this computer"))
    return ConfirmSheet(host, title, _BACK, go, points=(_AGAIN, _PAUSE))
