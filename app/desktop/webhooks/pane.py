"""The webhooks pane."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from PySide6.QtCore import QModelIndex, QTimer
from PySide6.QtGui import QFocusEvent, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import EventType
from app.contract.webhooks import CreatedWebhookSubscription, WebhookSubscription
from app.desktop.commands import Command
from app.desktop.kit.card_skeleton import CardRow, CardSkeleton
from app.desktop.kit.service_pane import ServicePane
from app.desktop.theme import theme
from app.desktop.theme.theme import grow
from app.desktop.webhooks.card import SubscriptionCard
from app.desktop.webhooks.log import DeliveryLog
from app.desktop.webhooks.sheets import RemovalSheet, SecretSheet, Verify, new_webhook, other_address
from app.desktop.webhooks.subscriptions import SubscriptionList, SubscriptionModel
from app.desktop.webhooks.wording import address, summary, test_problem
from app.desktop.widgets import (
    Divider,
    EmptyState,
    Label,
    Panel,
    Reflow,
    primary,
)
from app.desktop.words import clock
from app.language import tr
from app.workspace.changes import Changes
from app.workspace.messages import Message, Problem
from app.workspace.workspace import Workspace

_EVERY_MS: Final = 30_000
_NEWS_MS: Final = 400
_GAP: Final = 12
_VERIFY_LEAST: Final = 980
_SHAPE: Final = (CardRow(278, (51, 49)), CardRow(300, (1,), fills=True))
_GROUP: Final = tr("Webhooks")
_NOTHING: Final = tr(
    "No webhooks yet. A webhook notifies another program as soon as a post is published or fails."
)
_RULES: Final = tr(
    "Failed deliveries are retried three times. After ten failures in a row, "
    "the webhook is disabled. HTTPS only, no private addresses."
)


class WebhooksPane(ServicePane):
    """Subscriptions on the left; the chosen one, its verification code and its log on the right."""

    def __init__(self, workspace: Workspace, zone: ZoneInfo) -> None:
        super().__init__(workspace, tr("Webhooks"), CardSkeleton(_SHAPE, side=(5, 15)))
        self._webhooks, self._zone = workspace.webhooks, zone
        self._chosen: UUID | None = None
        self._is_known, self._is_away = False, workspace.sync.is_away
        self._is_refused = workspace.sync.key_refused
        self._wanted: dict[UUID, Sequence[EventType]] = {}
        """Chosen events, until the service has confirmed them."""
        self.model = SubscriptionModel(zone)
        self.list, self.count = SubscriptionList(self.model, zone), Label("", "card", "text3")
        self.card, self.verify = SubscriptionCard(zone), Verify()
        self.log = DeliveryLog(self._webhooks, zone)
        self.new_button = primary(tr("New webhook"), "plus")
        self.empty = EmptyState("webhook", _NOTHING, tr("New webhook"), kind="primary")
        self._body, self._verify_panel = Reflow((5, 15), gap=_GAP), Panel()
        self._every, self._news = QTimer(self), QTimer(self)
        self._lay_out()
        self._connect()
        self._show_standing()
        self._scope.start(self._begin())

    def ask_for_new(self) -> None:
        """Open the sheet for a new webhook, which also says if the service is unreachable."""
        new_webhook(self, self._webhooks, self._show_secret)

    def chosen(self) -> WebhookSubscription | None:
        """The shown subscription."""
        return self.model.webhook(self.model.row_of(self._chosen))

    def showEvent(self, event: QShowEvent) -> None:
        """Refresh the pane."""
        super().showEvent(event)
        self.refresh()
        self._every.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._every.stop()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Give the focus to the list, unless it is hidden."""
        del event
        if (entry := self.entry()) is not self:
            entry.setFocus()

    def entry(self) -> QWidget:
        """Return the list if it shows, or else the pane."""
        return self.list if self.pages.currentWidget() is self._body else self

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the code if the log needs the room."""
        super().resizeEvent(event)
        self._verify_panel.setVisible(self.width() >= theme.current().grown(_VERIFY_LEAST))

    async def _begin(self) -> None:
        if await self._webhooks.last() and not self._is_known:
            self._show()

    async def fetch(self) -> None:
        await self._webhooks.refresh()

    def has_data(self) -> bool:
        return bool(self.model.webhooks)

    def _succeeded(self) -> None:
        self._is_known = True
        self._show_standing()
        self._show()

    def _show(self) -> None:
        webhooks = self._webhooks.all
        self.model.show(webhooks)
        self.count.setText(summary(webhooks))
        if not webhooks:
            self._chosen = None
            self.pages.setCurrentWidget(self.empty if self._is_known else self.loading)
            self.new_button.setVisible(False)
            return
        self.new_button.setVisible(True)
        row = max(0, self.model.row_of(self._chosen))
        had_focus = self.hasFocus()
        self.pages.setCurrentWidget(self._body)
        self.list.setCurrentIndex(self.model.index(row))
        self._chosen = webhooks[row].id
        self._show_chosen()
        if had_focus:
            self.list.setFocus()

    def _show_chosen(self) -> None:
        if (webhook := self.chosen()) is not None:
            self.card.show_webhook(webhook, self._wanted.get(webhook.id, webhook.events))
            self.log.show_webhook(webhook)

    def _choose(self, index: QModelIndex) -> None:
        webhook = self.model.webhook(index.row())
        if webhook is not None and webhook.id != self._chosen:
            self._chosen = webhook.id
            self._show_chosen()

    def _show_standing(self) -> None:
        """Allow changes only while the service is reachable."""
        can_change = not self._is_away
        self.new_button.setEnabled(can_change)
        self.card.allow(changes=can_change)
        self.log.allow(changes=can_change)
        if can_change:
            self.strip.say("")
            return
        sync, synced = self._workspace.sync, self._workspace.sync.last_synced
        if sync.key_refused and sync.problem:  # waiting for the service wouldn't help
            self._offer_remedy("key_refused")
            self.strip.say_problem(f"{sync.problem} {self.as_of()}", "key_refused")
            return
        self._offer_remedy("unreachable")
        self.strip.say(
            tr(
                "Offline since {time}. Showing webhooks as of then. You can change them "
                "when the service is back.",
                time=clock(synced.astimezone(self._zone)),
            )
            if synced
            else tr("Offline. Showing the last known webhooks. You can change them when the service is back.")
        )

    def as_of(self) -> str:
        """Return the time of the last sync, which brought the webhooks."""
        synced = self._workspace.sync.last_synced
        if synced is None:
            return super().as_of()
        return tr("Showing webhooks from {time}.", time=clock(synced.astimezone(self._zone)))

    def _show_problem(self, problem: Problem) -> None:
        if not self.has_data():
            self.new_button.setVisible(False)
        elif self._is_away:
            return  # the strip already shows this, with the time
        super()._show_problem(problem)

    def _show_secret(self, created: CreatedWebhookSubscription) -> None:
        self._chosen = created.id
        self._is_known = True
        self._show()
        sheet = SecretSheet(self, created)
        sheet.present(sheet.copy)

    def _choose_events(self, events: Sequence[EventType]) -> None:
        if (webhook := self.chosen()) is not None:
            self._wanted[webhook.id] = events
            self._scope.start(self._switch(webhook.id, events), self._change_failed)

    async def _switch(self, webhook_id: UUID, events: Sequence[EventType]) -> None:
        try:
            await self._webhooks.change(webhook_id, events=events)
        finally:
            if self._wanted.get(webhook_id) is events:  # the selection may have changed meanwhile
                del self._wanted[webhook_id]
        self._show()

    async def _turn_on(self, webhook_id: UUID) -> None:
        await self._webhooks.change(webhook_id, active=True)
        self._show()

    def _change_failed(self, problem: Problem) -> None:
        """Show the state of the service again."""
        self._show()
        self.told.emit(problem.message())

    def _enable(self) -> None:
        if (webhook := self.chosen()) is not None:
            self._scope.start(self._turn_on(webhook.id), self._change_failed)

    def _edit(self) -> None:
        if (webhook := self.chosen()) is not None and not self._is_away:
            other_address(self, self._webhooks, webhook, self._show)

    def _ask_to_remove(self) -> None:
        webhook = self.chosen()
        if webhook is None or self._is_away:
            return
        sheet = RemovalSheet(self, webhook)
        sheet.confirmed.connect(lambda: self._scope.start(self._remove(webhook)))
        sheet.present(sheet.cancel)

    async def _remove(self, webhook: WebhookSubscription) -> None:
        await self._webhooks.remove(webhook.id)
        self._show()
        self.told.emit(
            Message("info", tr("The webhook to {address} was deleted.", address=address(webhook.url)))
        )

    def _test(self, event: EventType | None) -> None:
        if (webhook := self.chosen()) is not None:
            self.card.show_testing(webhook.id)
            self._scope.start(self._run_test(webhook.id, event))

    async def _run_test(self, webhook_id: UUID, event: EventType | None) -> None:
        try:
            result = await self._webhooks.test(webhook_id, event)
        except Problem:
            self.card.show_outcome(webhook_id, None)
            raise
        self.card.show_outcome(webhook_id, result)
        if problem := test_problem(result):
            self.told.emit(Message("warning", problem))
        self.refresh()

    def _changed(self, changes: Changes) -> None:
        if changes.deliveries and self.isVisible() and not self._news.isActive():
            self._news.start()
        if changes.sync:
            sync, before = self._workspace.sync, (self._is_away, self._is_refused)
            self._is_away, self._is_refused = sync.is_away, sync.key_refused
            if before != (self._is_away, self._is_refused):
                self._show_standing()
        super()._changed(changes)

    def _connect(self) -> None:
        self.list.selectionModel().currentChanged.connect(lambda new, _old: self._choose(new))
        self.list.removed.connect(self._ask_to_remove)
        for make in (self.new_button.clicked, self.empty.acted):
            make.connect(self.ask_for_new)
        card = self.card
        card.events_chosen.connect(self._choose_events)
        card.tested.connect(self._test)
        card.enabled.connect(self._enable)
        card.address_edited.connect(self._edit)
        card.removed.connect(self._ask_to_remove)
        self.log.told.connect(self.told)
        self._every.setInterval(_EVERY_MS)
        self._every.timeout.connect(self.refresh)
        self._news.setSingleShot(True)
        self._news.setInterval(_NEWS_MS)
        self._news.timeout.connect(self.refresh)
        self._add_commands(
            "webhooks",
            _GROUP,
            tr("Refresh the webhooks"),
            Command(
                tr("New webhook…"),
                _GROUP,
                self.ask_for_new,
                icon="plus",
                words=tr("subscribe events endpoint"),
            ),
        )

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addStrut(theme.current().metrics.control)
        head.addWidget(Label(tr("Webhooks"), "title"))
        head.addStretch(1)
        head.addWidget(self.refresh_button)
        head.addWidget(self.new_button)
        self.new_button.hide()  # the empty pane offers the first webhook itself
        self._lay_out_body()
        for page in (self._body, self.empty):
            self.pages.addWidget(page)
        self._stack_up(head, below=16)

    def _lay_out_body(self) -> None:
        inside = QVBoxLayout(self._verify_panel)
        inside.setContentsMargins(16, 10, 16, 10)
        inside.addWidget(self.verify)
        details = QWidget()
        top, right = QHBoxLayout(), QVBoxLayout(details)
        for box in (top, right):
            box.setContentsMargins(0, 0, 0, 0)
            box.setSpacing(_GAP)
        top.addWidget(self.card, 10)
        top.addWidget(self._verify_panel, 8)
        right.addLayout(top)
        right.addWidget(self.log, 1)
        self._body.add(self._subscriptions(), 0, 0)
        self._body.add(details, 0, 1)

    def _subscriptions(self) -> QWidget:
        panel = Panel()
        head = QHBoxLayout()
        head.setContentsMargins(16, 10, 16, 9)
        head.setSpacing(8)
        head.addWidget(Label(tr("Subscriptions"), "strong"))
        head.addStretch(1)
        head.addWidget(self.count)
        rules = Label(_RULES, "card", "text3", wrap=True)
        rules.setContentsMargins(16, 10, 16, 12)
        column = QVBoxLayout(panel)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(Divider(inner=True))
        column.addWidget(self.list, 1)
        column.addWidget(Divider(inner=True))
        column.addWidget(rules)
        grow(panel, QWidget.setMinimumWidth, 230)
        grow(panel, QWidget.setMinimumHeight, 250)
        return panel
