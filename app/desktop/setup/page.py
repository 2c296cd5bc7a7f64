"""The setup of one platform, in steps: create an app, set the redirect address, enter and test the keys."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.contract.limits import ADDRESS_MAX, CLIENT_ID_MAX, CLIENT_SECRET_MAX
from app.contract.platform_setup import Check, CheckOutcome, PlatformSelfTest, PlatformSetup, SetupStep
from app.desktop.connections.by_hand import ABOUT as BY_HAND
from app.desktop.opening import open_page
from app.desktop.setup import wording
from app.desktop.setup.steps import Steps
from app.desktop.widgets import (
    Button,
    CheckBox,
    Field,
    FlowLayout,
    IconLabel,
    Label,
    LineEdit,
    LinkButton,
    StateStrip,
    announce,
    danger,
    primary,
    quiet,
    secondary,
)
from app.desktop.widgets.painting import insets
from app.desktop.words import platform_name
from app.language import tr
from app.workspace.web_pages import web_page

_COPIED_MS = 2_000
_INDENT = 36
"""Indentation of a step's content, in px: aligned with its title."""
_KEYS = 2
"""The index of the step with the keys."""
_PLACES = {SetupStep.ADDRESS: 1, SetupStep.KEYS: _KEYS, SetupStep.ACCOUNT: 3}
"""The steps that checks belong to."""
_OUTCOMES = {
    CheckOutcome.PASSED: ("circle-check", "ok", tr("Passed")),
    CheckOutcome.FAILED: ("circle-x", "bad", tr("Failed")),
}
_UNKNOWN = ("circle-help", "text3", tr("Not known yet"))
_TOLD = tr(
    "The app is configured in service.toml, which takes precedence over what you enter here. Change it there."
)
_INBOX_ONLY = tr(
    "Kalends then doesn't ask for it. Posts go to your TikTok inbox, and you finish them in TikTok's app. "
    "Connect your accounts again after changing this."
)
_PRACTICE = tr("Practice platforms don't need an app. All their accounts are samples.")


class KeysForm(QWidget):
    """Three fields and their buttons."""

    given = Signal(str, str, str, bool)
    """ID, secret and custom redirect address, of which the latter two may be empty; and ``inbox_only``."""
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
                "Only if {name} doesn't accept the address in step 2: any https address you "
                "own. The browser ends up there, and you paste that page's address here.",
                name=name,
            ),
        )
        self.inbox_only = CheckBox(tr("{name} refused Direct Post to this app", name=name))
        self.inbox_only.setChecked(bool(setup.inbox_only))
        self.inbox_only.setAccessibleDescription(_INBOX_ONLY)
        self.about_inbox = Label(_INBOX_ONLY, "card", "text3", wrap=True)
        if setup.inbox_only is None:  # without a parent yet, showing them would open windows
            self.inbox_only.hide()
            self.about_inbox.hide()
        self.save, self.test = primary(tr("Save and test")), secondary(tr("Test again"), "refresh-cw")
        self.forget = danger(tr("Remove this app"))
        if not setup.credentials:  # there's nothing to test or to remove
            self.test.hide()
            self.forget.hide()
        self._lay_out()
        self.save.clicked.connect(self._give)
        self.forget.clicked.connect(self.forgotten)
        for editor in (self.client_id, self.secret, self.address):
            editor.returnPressed.connect(self._give)

    def refuse(self, field: str, text: str) -> None:
        """Show an error at a field, by its name in the API."""
        fields = {"client_secret": self.secret_field, "redirect_uri": self.address_field}
        found = fields.get(field, self.id_field)
        found.set_error(text)
        found.editor.setFocus()

    def set_busy(self, *, busy: bool) -> None:
        """Disable the buttons while the keys are being saved."""
        for button in (self.save, self.test, self.forget):
            button.setEnabled(not busy)

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
            self.given.emit(*given, self.inbox_only.isChecked())

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        for field in (self.id_field, self.secret_field, self.address_field):
            column.addWidget(field)
        box = QVBoxLayout()
        box.setSpacing(4)
        box.addWidget(self.inbox_only)
        box.addWidget(self.about_inbox)
        column.addLayout(box)
        buttons = QWidget()
        row = FlowLayout(buttons, gap=8)
        for button in (self.save, self.test, self.forget):
            row.addWidget(button)
        column.addWidget(buttons)


class PlatformPage(QWidget):
    """Emits signals for all requests; the owner talks to the service."""

    left = Signal()
    given = Signal(str, str, str, bool)
    forgotten = Signal()
    tested = Signal()

    def __init__(self, setup: PlatformSetup, *, practice: bool) -> None:
        super().__init__()
        self.setup = setup
        self.back = quiet(tr("All platforms"), "chevron-left", "small")
        self.portal = secondary(tr("Open {name}'s page", name=setup.name), "external-link")
        self.address, self.copy = LineEdit(), secondary(tr("Copy"), "copy")
        self.keys = KeysForm(setup) if setup.changeable else None
        self.test = self.keys.test if self.keys is not None else secondary(tr("Test"), "refresh-cw")
        self.by_hand = quiet(tr("Publish by hand instead"), "bell")
        self._about_by_hand = Label(BY_HAND, "card", "text2", wrap=True)
        self.strip = StateStrip()
        self._checks = {place: QVBoxLayout() for place in _PLACES.values()}
        self._shown: list[QWidget] = []
        self._testing = Label(tr("Testing takes a few seconds."), "card", "text3")
        self._testing.hide()
        self._practice = practice
        self._lay_out()
        self._connect()

    def say(self, text: str) -> None:
        """Show an error; "" for none."""
        self.strip.say(text, "bad", can_act=False)

    def set_busy(self, *, busy: bool) -> None:
        """Show whether a request to the service is running."""
        self.test.setEnabled(not busy)
        self._testing.setVisible(busy)
        if self.keys is not None:
            self.keys.set_busy(busy=busy)

    def show_checks(self, found: PlatformSelfTest) -> None:
        """Show the results of the self-test."""
        for row in self._shown:
            row.hide()
            row.deleteLater()
        self._shown = []
        for check in found.checks:
            row = _row(check)
            self._shown.append(row)
            self._checks[_PLACES.get(check.step, _KEYS)].addWidget(row)
        self._show_steps(found.checks)
        failed = sum(check.outcome is CheckOutcome.FAILED for check in found.checks)
        announce(
            self,
            tr("{failed} of {count} checks failed", failed=failed, count=len(found.checks))
            if failed
            else tr("All checks passed"),
        )

    def _show_steps(self, checks: Sequence[Check]) -> None:
        """Show the state of each step, and open the first one that needs a look."""
        if self._practice:
            return
        failing = {_PLACES.get(check.step, _KEYS) for check in checks if check.outcome is CheckOutcome.FAILED}
        for place in _PLACES.values():
            self.steps.set_failed(place, has_failed=place in failing)
        looked_at = [check for check in checks if check.step is SetupStep.ACCOUNT]
        is_done = bool(looked_at) and all(check.outcome is CheckOutcome.PASSED for check in looked_at)
        self.steps.set_done(_PLACES[SetupStep.ACCOUNT], is_done=is_done)
        if failing and self.steps.open_step not in failing:
            self.steps.open(min(failing))

    def checks(self) -> list[str]:
        """Return the results of the self-test, as read by screen readers."""
        return [row.accessibleName() for row in self._shown]

    def _connect(self) -> None:
        self.back.clicked.connect(self.left)
        self.portal.clicked.connect(self._open_portal)
        self.copy.clicked.connect(self._copy)
        self.test.clicked.connect(self.tested)
        if self.keys is not None:
            self.keys.given.connect(self.given)
            self.keys.forgotten.connect(self.forgotten)

    def _open_portal(self) -> None:
        open_page(self.setup.portal)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.setup.redirect_uri)
        self.copy.setText(tr("Copied"))
        QTimer.singleShot(_COPIED_MS, self.copy, lambda: self.copy.setText(tr("Copy")))

    def _lay_out(self) -> None:
        setup, column = self.setup, QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(14)
        column.addLayout(self._head())
        column.addWidget(self.strip)
        if self._practice:
            self._lay_out_practice(column)
            return
        self.steps = Steps(
            (
                (tr("Create an app on {name}", name=setup.name), self._create_step()),
                (tr("Paste this address there"), self._address_step()),
                (tr("Paste the app's keys here"), self._keys_step()),
                (tr("Connect an account and post"), self._account_step()),
                (tr("Good to know"), _column(*_sentences(wording.abilities(setup)))),
            )
        )
        is_set = setup.credentials
        for place in range(_KEYS):
            self.steps.set_done(place, is_done=is_set)
        self.steps.set_done(_KEYS, is_done=setup.credentials)
        self.steps.open(_KEYS if is_set else 0)
        column.addWidget(self.steps)
        column.addWidget(self._about_by_hand)
        column.addWidget(self.by_hand, 0, Qt.AlignmentFlag.AlignLeading)
        column.addStretch(1)

    def _lay_out_practice(self, column: QVBoxLayout) -> None:
        """Show only the test: nothing has to be set up."""
        self.steps = Steps(())
        for unused in (self.steps, self.portal, self.address, self.copy, self._about_by_hand, self.by_hand):
            unused.setParent(self)
            unused.hide()
        about = self._keys_step()
        if (inside := about.layout()) is not None:
            inside.setContentsMargins(0, 0, 0, 0)  # no number in front of it
        column.addWidget(about)
        for step in (SetupStep.ADDRESS, SetupStep.ACCOUNT):
            column.addWidget(self._results(step))
        column.addStretch(1)

    def offer_by_hand(self, *, is_offered: bool) -> None:
        """Show or hide publishing by hand, which needs no developer app."""
        for widget in (self._about_by_hand, self.by_hand):
            widget.setVisible(is_offered and not self._practice)

    def _create_step(self) -> QWidget:
        portal = self.portal if web_page(self.setup.portal) else None
        if portal is None:
            self.portal.setParent(self)
            self.portal.hide()
        parts: list[QWidget | None] = []
        for step in wording.steps(self.setup):
            parts.append(Label(step.text, "card", "text2", wrap=True))
            parts.append(_link(step.link) if step.link and step.link != self.setup.portal else None)
        day = wording.checked(self.setup)
        return _column(*parts, portal, Label(day, "small", "text3") if day else None)

    def _address_step(self) -> QWidget:
        by_hand = tr("The browser won't return from there automatically: paste the address it ends at.")
        address = QWidget()
        address.setLayout(self._redirect())
        told = _sentences([by_hand] if self.setup.by_hand else [])
        return _column(address, *told, self._results(SetupStep.ADDRESS))

    def _account_step(self) -> QWidget:
        about = tr(
            "Connect an account under Connections. Kalends then checks which permissions it got, and what "
            "happened to your last post."
        )
        return _column(Label(about, "card", "text2", wrap=True), self._results(SetupStep.ACCOUNT))

    def _results(self, step: SetupStep) -> QWidget:
        """Return the place of a step's checks."""
        holder, column = QWidget(), self._checks[_PLACES[step]]
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        holder.setLayout(column)
        return holder

    def _keys_step(self) -> QWidget:
        told = _PRACTICE if self._practice else _TOLD
        keys = self.keys or Label(told, "card", "text2", wrap=True)
        test = self.test if self.keys is None else None
        return _column(keys, test, self._testing, self._results(SetupStep.KEYS))

    def _head(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(IconLabel(f"brand:{self.setup.platform.value}", "text", 18))
        row.addWidget(Label(self.setup.name, "section"))
        row.addWidget(Label(wording.state(self.setup, practice=self._practice), "card", "text3"))
        row.addStretch(1)
        row.addWidget(self.back)
        return row

    def _redirect(self) -> QHBoxLayout:
        self.address.setText(self.setup.redirect_uri)
        self.address.setReadOnly(True)
        self.address.setAccessibleName(tr("Redirect address"))
        self.address.setCursorPosition(0)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.address, 1)
        row.addWidget(self.copy)
        return row


def _column(*parts: QWidget | None) -> QWidget:
    """Return the body of a step; None is left out."""
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(insets(_INDENT, 0, 0, 14))
    column.setSpacing(10)
    for part in parts:
        if isinstance(part, Button | LinkButton):
            column.addWidget(part, 0, Qt.AlignmentFlag.AlignLeft)
        elif part is not None:
            column.addWidget(part)
    return holder


def _sentences(texts: Sequence[str]) -> list[QWidget]:
    return [Label(text, "card", "text2", wrap=True) for text in texts]


def _link(address: str) -> LinkButton:
    """Return a link to the page of a step, labelled with its host and path."""
    link = LinkButton(address.removeprefix("https://").rstrip("/"))
    link.clicked.connect(lambda: open_page(address))
    return link


def _row(check: Check) -> QWidget:
    icon, tone, word = _OUTCOMES.get(check.outcome, _UNKNOWN)
    said = wording.in_words(check.message)
    holder = QWidget()
    holder.setAccessibleName(f"{word}: {said}")
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(9)
    row.addWidget(IconLabel(icon, tone, 16, word), 0, Qt.AlignmentFlag.AlignTop)
    words = QVBoxLayout()
    words.setSpacing(2)
    words.addWidget(Label(said, "card", "text2", wrap=True))
    if check.outcome is not CheckOutcome.PASSED and web_page(check.link):
        words.addWidget(_link(check.link), 0, Qt.AlignmentFlag.AlignLeading)
    row.addLayout(words, 1)
    return holder
