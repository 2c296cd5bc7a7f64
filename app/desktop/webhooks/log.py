"""The card of deliveries: the log of one webhook, and the chosen delivery."""

from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.contract.webhooks import WebhookDelivery, WebhookSubscription
from app.desktop.aio import TaskScope, ignore, report_to
from app.desktop.theme import theme
from app.desktop.theme.theme import grow
from app.desktop.webhooks.deliveries import DeliveryHead, DeliveryList, DeliveryModel
from app.desktop.webhooks.delivery import OFF, CompareSheet, DeliveryPanel
from app.desktop.widgets import Chip, EmptyState, Label, Panel, Skeleton
from app.language import number, tr
from app.workspace.messages import Message, Problem
from app.workspace.webhooks.comparison import attempts_of
from app.workspace.webhooks.webhooks import Webhooks

_NOTHING: Final = tr("No deliveries yet. Test deliveries appear here, too.")
_PANEL: Final = 236
_ENOUGH: Final = 20
_LOOKED_THROUGH: Final = 2_000


class DeliveryLog(Panel):
    """Shows the log of a subscription and keeps it up to date."""

    told = Signal(Message)

    def __init__(self, webhooks: Webhooks, zone: ZoneInfo) -> None:
        super().__init__()
        self._webhooks, self._zone = webhooks, zone
        self._webhook: WebhookSubscription | None = None
        self._chosen: WebhookDelivery | None = None
        self._can_change = True
        self._scope = TaskScope(self, report_to(self.told.emit))
        self._reading = TaskScope(self, ignore)  # the content of a delivery is optional
        self.model = DeliveryModel(zone)
        self.head, self.list, self.panel = DeliveryHead(), DeliveryList(self.model, zone), DeliveryPanel()
        self.chips = {"all": Chip(tr("All")), "failed": Chip(tr("Failed"))}
        self.loading, self.empty = Skeleton(3), EmptyState("send", _NOTHING)
        self.none_failed = EmptyState("check", "", tr("Show all"))
        self.failed = EmptyState("triangle-alert", "", tr("Try again"))
        self._stack = QStackedWidget()
        self._lay_out()
        self._connect()

    def show_webhook(self, webhook: WebhookSubscription) -> None:
        """Show the log of a subscription, or refresh it."""
        is_other = self._webhook is None or self._webhook.id != webhook.id
        self._webhook = webhook
        if is_other:
            self._scope.cancel()
            self._reading.cancel()
            self._chosen = None
            self.model.clear()
            self._show_chosen()
            self._stack.setCurrentWidget(self.loading)
        self._allow()
        self.refresh()

    def refresh(self) -> None:
        """Request the newest deliveries."""
        if self._webhook is not None:
            self._scope.start(self._ask(self._webhook.id), self._show_failed)

    def allow(self, *, changes: bool) -> None:
        """Set whether deliveries can be replayed now."""
        self._can_change = changes
        self._allow()

    def replay(self) -> None:
        """Replay the chosen delivery, or show why that is impossible."""
        if self._webhook is not None and not self._webhook.active:
            self.told.emit(Message("warning", OFF))
        elif self._webhook is not None and self._chosen is not None and self.panel.replay.isEnabled():
            self.panel.replay.setEnabled(False)
            self._scope.start(self._replay(self._webhook.id, self._chosen), self._replay_failed)

    def compare(self) -> CompareSheet | None:
        """Compare the chosen delivery with the others of its event."""
        attempts = attempts_of(self._chosen.event_id, self.model.known) if self._chosen else []
        if len(attempts) < 2:
            return None
        sheet = CompareSheet(self, self._webhooks, attempts, self._zone)
        sheet.present(sheet.close_button)
        return sheet

    def sizeHint(self) -> QSize:
        """Return a small height: the log takes what is left and never makes the pane scroll."""
        return self.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give most of a low window to the list."""
        super().resizeEvent(event)
        most = round(_PANEL * theme.current().scale)
        self.panel.setFixedHeight(min(most, max(150, self.height() * 11 // 20)))

    async def _ask(self, webhook_id: UUID) -> None:
        page = await self._webhooks.deliveries(webhook_id)
        if self._webhook is None or self._webhook.id != webhook_id:
            return
        with self.list.staying(self.model.delivery, self.model.row_of):
            self.model.take_first(page)
            self._choose_again()
        self._show_page()

    async def _ask_for_more(self, webhook_id: UUID, cursor: str) -> None:
        try:
            page = await self._webhooks.deliveries(webhook_id, cursor)
        except Problem:
            self.model.give_up()
            raise
        if self._webhook is not None and self._webhook.id == webhook_id and self.model.cursor == cursor:
            self.model.take_more(page)
            self._show_page()

    async def _replay(self, webhook_id: UUID, record: WebhookDelivery) -> None:
        done = await self._webhooks.replay(webhook_id, record.id)
        self._allow()
        self.told.emit(
            Message(
                "info",
                tr(
                    "Replaying {event_type}. The new delivery will appear shortly.",
                    event_type=done.event_type,
                ),
            )
        )
        await self._ask(webhook_id)

    def _replay_failed(self, problem: Problem) -> None:
        self._allow()
        self.told.emit(problem.message())

    async def _show_details(self, record: WebhookDelivery) -> None:
        tells = self._webhooks.tells_details
        details = await self._webhooks.details(record.id)
        self.panel.show_details(details, tells=tells)

    def _fetch_more(self) -> None:
        if self._webhook is not None and self.model.cursor is not None:
            self._scope.start(self._ask_for_more(self._webhook.id, self.model.cursor))

    def _choose(self, index: QModelIndex) -> None:
        delivery = self.model.delivery(index.row())
        if delivery is not None and (self._chosen is None or delivery.id != self._chosen.id):
            self._chosen = delivery
            self._show_chosen()

    def _choose_again(self) -> None:
        """Keep the selection; clear it if its delivery is gone."""
        row = self.model.row_of(self._chosen)
        if row >= 0:
            self.list.setCurrentIndex(self.model.index(row))
        elif self._chosen is not None:
            self._chosen = None
        self._show_chosen(is_other=False)

    def _show_chosen(self, *, is_other: bool = True) -> None:
        record = self._chosen
        self.panel.setVisible(record is not None)
        if record is None:
            return
        same = attempts_of(record.event_id, self.model.known)
        others = [one for one in same if one.id != record.id]
        if not is_other:
            self.panel.show_others(others)
            return
        self._reading.cancel()
        self.panel.show_delivery(record, others, tells=self._webhooks.tells_details)
        self._allow()
        self._reading.start(self._show_details(record))

    def _allow(self) -> None:
        is_active = self._webhook is not None and self._webhook.active
        self.panel.allow(replays=self._can_change, is_active=is_active)

    def _show_page(self) -> None:
        self._look_further()
        if self.model.rowCount():
            self._stack.setCurrentWidget(self.list)
        elif self.model.known:
            self.none_failed.set_text(
                tr("None of the last {count} deliveries failed.", count=number(len(self.model.known)))
            )
            self._stack.setCurrentWidget(self.none_failed)
        else:
            self._stack.setCurrentWidget(self.empty)

    def _look_further(self) -> None:
        """Load more pages if few deliveries of a page match the filter."""
        is_narrow = self.chips["failed"].isChecked() and self.model.rowCount() < _ENOUGH
        if is_narrow and len(self.model.known) < _LOOKED_THROUGH and self.model.canFetchMore(QModelIndex()):
            self.model.fetchMore(QModelIndex())

    def _narrow(self) -> None:
        self.model.show_failed(only=self.chips["failed"].isChecked())
        self._choose_again()
        self._show_page()

    def _show_failed(self, problem: Problem) -> None:
        if not self.model.known:
            self.failed.set_text(problem.text)
            self._stack.setCurrentWidget(self.failed)

    def _connect(self) -> None:
        self.model.more_wanted.connect(self._fetch_more)
        self.list.selectionModel().currentChanged.connect(lambda new, _old: self._choose(new))
        self.list.replayed.connect(self.replay)
        self.panel.replayed.connect(self.replay)
        self.panel.compared.connect(self.compare)
        self.failed.acted.connect(self.refresh)
        self.none_failed.acted.connect(self.chips["all"].click)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(16, 9, 16, 7)
        head.setSpacing(8)
        head.addWidget(Label(tr("Deliveries"), "strong"))
        head.addWidget(Label(tr("newest first"), "card", "text3"))
        head.addStretch(1)
        group = QButtonGroup(self)
        for chip in self.chips.values():
            group.addButton(chip)
            head.addWidget(chip)
        self.chips["all"].setChecked(True)
        group.buttonClicked.connect(lambda _chip: self._narrow())
        for page in (self.loading, self.list, self.empty, self.none_failed, self.failed):
            self._stack.addWidget(page)
        grow(self._stack, QWidget.setMinimumHeight, 110)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 2)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.head)
        column.addWidget(self._stack, 1)
        column.addWidget(self.panel)
        self.panel.hide()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
