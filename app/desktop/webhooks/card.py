"""The card of one webhook: its URL, health, events, secret and test."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import EventType
from app.contract.webhooks import TEST_EVENT, WebhookSubscription, WebhookTestResult
from app.desktop.theme.theme import grow
from app.desktop.webhooks.sheets import EventChoice
from app.desktop.webhooks.wording import EVENTS, health, test_words, when
from app.desktop.widgets import (
    ComboBox,
    Divider,
    ElidedLabel,
    IconButton,
    Label,
    Panel,
    Tag,
    primary,
    secondary,
)
from app.language import tr

_INSET: Final = 16
_COPIED_MS: Final = 2_000
_SECRET: Final = "whsec_••••••••••••"  # noqa: S105  a placeholder
_ONCE: Final = tr("shown once, when created")


class SubscriptionCard(Panel):
    """Shows a subscription. Changes are requested by signals."""

    events_chosen = Signal(object)
    """A list of EventType."""
    tested = Signal(object)
    """An EventType, or None for a test event."""
    enabled = Signal()
    address_edited = Signal()
    removed = Signal()

    def __init__(self, zone: ZoneInfo) -> None:
        super().__init__()
        self._zone = zone
        self._webhook: WebhookSubscription | None = None
        self._can_change = True
        self._tested: set[UUID] = set()
        self.url = ElidedLabel("", "mono", elide="middle")
        self.copy = IconButton("copy", tr("Copy URL"), size="small")
        self.edit = IconButton("pencil", tr("Change URL…"), size="small")
        self.remove = IconButton("trash-2", tr("Delete webhook… (Del)"), size="small")
        self.state, self.since = Tag(""), ElidedLabel("", "card", "text3")
        self.health = ElidedLabel("", "card", "text2")
        self.enable = primary(tr("Enable again"), "play", size="small")
        self.events = EventChoice()
        self.test, self.test_event = secondary(tr("Send test"), "send"), ComboBox()
        self.outcome = ElidedLabel("", "card", "text2")
        self._copied = QTimer(self)
        self._lay_out()
        self._connect()

    def show_webhook(self, webhook: WebhookSubscription, events: Sequence[EventType]) -> None:
        """Show a subscription. ``events`` are the chosen ones, which the service may not know yet."""
        is_other = self._webhook is None or self._webhook.id != webhook.id
        self._webhook = webhook
        if is_other:
            self._show_test()
        tone, words = health(webhook, self._zone)
        self.setAccessibleName(tr("Webhook {url}", url=webhook.url))
        self.url.setText(webhook.url)
        self.state.set_text(tr("Active") if webhook.active else tr("Disabled"))
        self.state.set_tone("ok" if webhook.active else "bad")
        self.since.setText(tr("Created {when}", when=when(webhook.created_at, self._zone)))
        self.since.setToolTip(tr("Changed {when}", when=when(webhook.updated_at, self._zone)))
        self.health.setText(words)
        self.health.set_tone("text2" if tone in ("ok", "text3") else tone)
        self.enable.setVisible(not webhook.active)
        self.events.set_chosen(events)

    def allow(self, *, changes: bool) -> None:
        """Set whether changes are possible. Without the service they are not."""
        self._can_change = changes
        for widget in (self.edit, self.remove, self.enable, self.events, self.test_event):
            widget.setEnabled(changes)
        self._allow_test()

    def show_testing(self, webhook_id: UUID) -> None:
        """Show that a test is running."""
        self._tested.add(webhook_id)
        self._show_test()

    def show_outcome(self, webhook_id: UUID, result: WebhookTestResult | None) -> None:
        """Show the result of a test; None if it failed to start. Another webhook's result is ignored."""
        self._tested.discard(webhook_id)
        if self._webhook is not None and self._webhook.id == webhook_id:
            self._show_test(result)

    def _show_test(self, result: WebhookTestResult | None = None) -> None:
        is_tested = self._webhook is not None and self._webhook.id in self._tested
        tone, words = test_words(result) if result is not None else ("text3", "")
        self.outcome.set_tone(tone)
        self.outcome.setText(tr("Waiting up to 10 seconds") if is_tested else words)
        self._allow_test()

    def _allow_test(self) -> None:
        is_tested = self._webhook is not None and self._webhook.id in self._tested
        self.test.setEnabled(self._can_change and not is_tested)

    def _choose_events(self) -> None:
        """Keep the last event: a webhook needs at least one."""
        chosen = self.events.chosen()
        if not chosen and self._webhook is not None:
            self.events.set_chosen(self._webhook.events)
        self.events_chosen.emit(chosen)

    def _ask_for_test(self) -> None:
        event = str(self.test_event.currentData())
        self.tested.emit(None if event == TEST_EVENT else EventType(event))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._webhook.url if self._webhook else "")
        self.copy.set_icon("check", "ok")
        self._copied.start()

    def _connect(self) -> None:
        self._copied.setSingleShot(True)
        self._copied.setInterval(_COPIED_MS)
        self._copied.timeout.connect(lambda: self.copy.set_icon("copy"))
        self.copy.clicked.connect(self._copy)
        self.edit.clicked.connect(self.address_edited)
        self.remove.clicked.connect(self.removed)
        self.enable.clicked.connect(self.enabled)
        self.events.changed.connect(self._choose_events)
        self.test.clicked.connect(self._ask_for_test)

    def _lay_out(self) -> None:
        self._offer_tests()
        foot = QHBoxLayout()
        foot.setContentsMargins(_INSET, 9, _INSET, 11)
        foot.setSpacing(8)
        foot.addWidget(self.test)
        foot.addWidget(self.test_event)
        foot.addWidget(self.outcome, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._body(), 1)
        column.addWidget(Divider(inner=True))
        column.addLayout(foot)

    def _offer_tests(self) -> None:
        self.test_event.setAccessibleName(tr("Test event"))
        grow(self.test_event, QWidget.setMaximumWidth, 150)
        grow(self.test_event.view(), QWidget.setMinimumWidth, 190)
        for event in (TEST_EVENT, *(event.value for event in EVENTS)):
            self.test_event.addItem(event, event)
        self.test.setToolTip(tr("Send a test event now and show the response"))

    def _body(self) -> QVBoxLayout:
        """Return the URL, the health, the events and the secret."""
        first, second, secret = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        for row in (first, second, secret):
            row.setSpacing(8)
        first.addWidget(self.url, 1)
        for button in (self.copy, self.edit, self.remove):
            first.addWidget(button)
        second.addWidget(self.state)
        second.addWidget(self.since, 1)
        second.addWidget(self.enable)
        secret.addWidget(Label(tr("Secret"), "card", "text3"))
        secret.addSpacing(10)
        secret.addWidget(Label(_SECRET, "mono", "text2"))
        secret.addWidget(ElidedLabel(_ONCE, "card", "text3"), 1)
        body = QVBoxLayout()
        body.setContentsMargins(_INSET, 10, _INSET, 10)
        body.setSpacing(9)
        body.addLayout(first)
        body.addLayout(second)
        body.addWidget(self.health)
        body.addSpacing(3)
        body.addWidget(self.events)
        body.addSpacing(3)
        body.addLayout(secret)
        body.addStretch(1)
        return body
