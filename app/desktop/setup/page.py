"""One platform: what it cannot do, what to register, the redirect address, the keys, and the test."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.companion import Check, CheckOutcome, PlatformSelfTest, PlatformSetup
from app.desktop.opening import open_page
from app.desktop.setup import wording
from app.desktop.setup.keys import KeysForm
from app.desktop.widgets import (
    IconLabel,
    Label,
    LineEdit,
    Panel,
    StateStrip,
    announce,
    quiet,
    secondary,
)
from app.language import tr
from app.workspace.web_pages import web_page

_COPIED_MS, _NUMBER_WIDTH = 2_000, 16
_OUTCOMES = {
    CheckOutcome.PASSED: ("circle-check", "ok", tr("Passed")),
    CheckOutcome.FAILED: ("circle-x", "bad", tr("Failed")),
}
_UNKNOWN = ("circle-help", "text3", tr("Not known yet"))
_TOLD = tr(
    "The app is configured in service.toml, which takes precedence over what you enter here. Change it there."
)
_PRACTICE = tr("Practice platforms don't need an app. All their accounts are samples.")


class PlatformPage(QWidget):
    """Asks for everything by signals; who owns it talks to the service."""

    left = Signal()
    given = Signal(str, str, str)
    forgotten = Signal()
    tested = Signal()

    def __init__(self, setup: PlatformSetup, *, practice: bool) -> None:
        super().__init__()
        self.setup = setup
        self.back = quiet(tr("All platforms"), "chevron-left", "small")
        self.portal = secondary(tr("Open {name}'s page", name=setup.name), "external-link")
        self.address, self.copy = LineEdit(), secondary(tr("Copy"), "copy")
        self.keys = KeysForm(setup) if setup.changeable else None
        self.test = secondary(tr("Test"), "refresh-cw")
        self.strip = StateStrip()
        self._checks = QVBoxLayout()
        self._checks.setSpacing(10)
        self._shown: list[QWidget] = []
        self._testing = Label(tr("Testing takes a few seconds."), "card", "text3")
        self._testing.hide()
        self._practice = practice
        self._lay_out()
        self._connect()

    def say(self, text: str) -> None:
        """Say what went wrong, "" for nothing."""
        self.strip.say(text, "bad", can_act=False)

    def set_busy(self, *, busy: bool) -> None:
        """Whether the service is being asked."""
        self.test.setEnabled(not busy)
        self._testing.setVisible(busy)
        if self.keys is not None:
            self.keys.set_busy(busy=busy)

    def show_checks(self, found: PlatformSelfTest) -> None:
        """Show what the test found."""
        for row in self._shown:
            self._checks.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._shown = [_row(check) for check in found.checks]
        for row in self._shown:
            self._checks.addWidget(row)
        failed = sum(check.outcome is CheckOutcome.FAILED for check in found.checks)
        announce(
            self,
            tr("{failed} of {count} checks failed", failed=failed, count=len(found.checks))
            if failed
            else tr("All checks passed"),
        )

    def checks(self) -> list[str]:
        """Return what the test found, as it is read out."""
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
        column.addWidget(_know_before(wording.abilities(setup)))
        column.addWidget(Label(tr("Register an app"), "heading"))
        for number, step in enumerate(wording.steps(setup), 1):
            column.addLayout(_numbered(number, step))
        if web_page(setup.portal):
            column.addWidget(self.portal, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(Label(tr("Redirect address"), "heading"))
        column.addLayout(self._redirect())
        if setup.by_hand:
            column.addWidget(
                Label(
                    tr("The browser won't return from there automatically: paste the address it ends at."),
                    "card",
                    "text2",
                    wrap=True,
                )
            )
        column.addWidget(Label(tr("Keys"), "heading"))
        told = _PRACTICE if self._practice else _TOLD
        column.addWidget(self.keys or Label(told, "card", "text2", wrap=True))
        column.addWidget(Label(tr("Self-test"), "heading"))
        column.addWidget(self.test, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._testing)
        column.addLayout(self._checks)
        column.addStretch(1)

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


def _know_before(sentences: Sequence[str]) -> QWidget:
    panel = Panel(fill="sunken")
    column = QVBoxLayout(panel)
    column.setContentsMargins(14, 12, 14, 12)
    column.setSpacing(8)
    column.addWidget(Label(tr("Before you plan"), "strong"))
    for sentence in sentences:
        column.addWidget(Label(sentence, "card", "text2", wrap=True))
    return panel


def _numbered(number: int, text: str) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    place = Label(f"{number}.", "card", "text3")
    place.setMinimumWidth(_NUMBER_WIDTH)
    row.addWidget(place, 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(Label(text, "card", "text2", wrap=True), 1)
    return row


def _row(check: Check) -> QWidget:
    icon, tone, word = _OUTCOMES.get(check.outcome, _UNKNOWN)
    said = wording.in_words(check.message)
    holder = QWidget()
    holder.setAccessibleName(f"{word}: {said}")
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(9)
    row.addWidget(IconLabel(icon, tone, 16, word), 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(Label(said, "card", "text2", wrap=True), 1)
    return holder
