"""Sheets: a new webhook, its secret, another address, its removal; the choice of events, and code to copy."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Final

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import EventType
from app.contract.webhooks import CreatedWebhookSubscription, WebhookSubscription
from app.desktop.aio import TaskScope
from app.desktop.kit.code import Code
from app.desktop.webhooks.wording import EVENTS, address
from app.desktop.widgets import (
    Button,
    CheckBox,
    Divider,
    Field,
    Label,
    LineEdit,
    Segmented,
    Sheet,
    StateStrip,
    danger,
    primary,
    quiet,
    secondary,
)
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr
from app.workspace.messages import Problem
from app.workspace.webhooks.webhooks import SNIPPETS, Webhooks

_COPIED_MS: Final = 2_000
_NOTE: Final = tr("The signature covers the raw bytes.")
_HEADER: Final = tr("The second argument is the X-Service-Signature header as received")
_INSET: Final = 20
_USUAL: Final = (EventType.POST_PUBLISHED, EventType.POST_FAILED)
_ADDRESS: Final = tr("A public https:// URL. Each event is sent there as signed JSON.")
_ONCE: Final = tr(
    "This secret is shown only once. Copy it to your endpoint, which uses it "
    "to verify deliveries. Kalends doesn't store it."
)


class EventChoice(QWidget):
    """A check box for each event, also for unknown events of a newer service."""

    changed = Signal()
    """The user changed the choice."""

    def __init__(self, chosen: Iterable[EventType] = ()) -> None:
        super().__init__()
        self.boxes: dict[EventType, CheckBox] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(7)
        self._grid.setColumnStretch(1, 1)
        for event in EVENTS:
            self._add(event)
        self.set_chosen(chosen)

    def chosen(self) -> list[EventType]:
        """The chosen events, in the order of the boxes."""
        return [event for event, box in self.boxes.items() if box.isChecked()]

    def set_chosen(self, events: Iterable[EventType]) -> None:
        """Show a choice without emitting a signal."""
        wanted = list(events)
        for event in [known for known in self.boxes if known not in EVENTS and known not in wanted]:
            self._drop(event)
        for event in wanted:
            if event not in self.boxes:
                self._add(event)
        for event, box in self.boxes.items():
            box.blockSignals(True)
            box.setChecked(event in wanted)
            box.blockSignals(False)

    def _add(self, event: EventType) -> None:
        box = self.boxes[event] = CheckBox(event.value)
        box.setToolTip(EVENTS.get(event, ""))
        box.setAccessibleDescription(EVENTS.get(event, ""))
        box.toggled.connect(lambda _on: self.changed.emit())
        column, row = divmod(len(self.boxes) - 1, 3)
        self._grid.addWidget(box, row, column)

    def _drop(self, event: EventType) -> None:
        box = self.boxes.pop(event)
        self._grid.removeWidget(box)
        box.hide()
        box.deleteLater()


class Verify(QWidget):
    """The verification function in several languages, with a button that copies it."""

    def __init__(self) -> None:
        super().__init__()
        languages = [(key, name) for key, (name, _code) in SNIPPETS.items()]
        self.languages = Segmented(languages, tr("Language of the example"))
        self.code, self.copy = (
            Code(tr("Example that verifies a delivery")),
            quiet(tr("Copy example"), "copy", size="small"),
        )
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(_COPIED_MS)
        head, foot = QHBoxLayout(), QHBoxLayout()
        head.addWidget(Label(tr("Verify a delivery"), "strong"))
        head.addStretch(1)
        head.addWidget(self.languages)
        foot.addWidget(Label(_NOTE, "card", "text3", wrap=True), 1)
        foot.addWidget(self.copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.code, 1)
        column.addLayout(foot)
        self.languages.selected.connect(lambda _key: self._show())
        self.code.setToolTip(_HEADER)
        self.copy.clicked.connect(self._copy)
        self._copied.timeout.connect(lambda: self._say(tr("Copy example"), "copy"))
        self._show()

    def _show(self) -> None:
        self.code.show_code(SNIPPETS[self.languages.value()][1].rstrip("\n"))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(SNIPPETS[self.languages.value()][1])
        self._say(tr("Copied"), "check")
        self._copied.start()

    def _say(self, words: str, icon: str) -> None:
        self.copy.setText(words)
        self.copy.set_icon(icon)


class AddressSheet(Sheet):
    """Asks for a URL, and for the events of a new webhook. Stays open until the service confirms."""

    def __init__(self, host: QWidget, title: str, go: str, *, with_events: bool = False) -> None:
        super().__init__(host, title, 560, closes_beside=False)
        self.address = LineEdit(icon="link")
        self.address.setPlaceholderText("https://example.com/hooks/kalends")
        self.field = Field(tr("Address"), self.address, _ADDRESS)
        self.events = EventChoice(_USUAL) if with_events else None
        self.strip = StateStrip()
        self.go, self.cancel = primary(go), Button(tr("Cancel"), key_hint="Esc")
        self._scope = TaskScope(self, self._refused)
        self._work: Callable[[], Awaitable[Callable[[], object]]] | None = None
        body = QVBoxLayout()
        body.setContentsMargins(_INSET, 16, _INSET, 16)
        body.setSpacing(14)
        body.addWidget(Label(title, "section"))
        body.addWidget(self.field)
        if self.events is not None:
            body.addWidget(Label(tr("Events"), "card", "text2"))
            body.addWidget(self.events)
        body.addWidget(self.strip)
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.cancel, self.go))
        self.cancel.clicked.connect(self.dismiss)
        self.go.clicked.connect(self._begin)
        self.address.returnPressed.connect(self._begin)
        self.address.textEdited.connect(lambda _text: self.field.set_error(""))

    def do(self, work: Callable[[], Awaitable[Callable[[], object]]]) -> None:
        """Start the request. If it succeeds, the sheet closes and its result is called."""
        self._work = work

    def _begin(self) -> None:
        if self._work is not None and self.go.isEnabled():
            self._set_busy(busy=True)
            self.strip.say("")
            self._scope.start(self._run(self._work))

    async def _run(self, work: Callable[[], Awaitable[Callable[[], object]]]) -> None:
        go_on = await work()
        self.dismiss()
        go_on()

    def _set_busy(self, *, busy: bool) -> None:
        """Stay open during a request: its response may contain a secret that is shown only once."""
        self.set_dismissible(not busy)
        self.go.setEnabled(not busy)
        self.cancel.setEnabled(not busy)

    def _refused(self, problem: Problem) -> None:
        self._set_busy(busy=False)
        if problem.kind == "address":
            self.field.set_error(problem.text)
            self.address.setFocus()
            return
        self.strip.say(problem.text, "bad", can_act=False)


class SecretSheet(Sheet):
    """Shows the secret of a new webhook, once; closed by its button alone."""

    def __init__(self, host: QWidget, created: CreatedWebhookSubscription) -> None:
        super().__init__(host, tr("Signing secret"), 620, dismissible=False)
        self._secret = created.secret
        self.secret = LineEdit(created.secret)
        self.secret.setReadOnly(True)
        self.secret.setCursorPosition(0)
        self.copy, self.verify = secondary(tr("Copy secret"), "copy"), Verify()
        self.done = primary(tr("I've saved it"))
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(_COPIED_MS)
        self._copied.timeout.connect(lambda: self._say(tr("Copy secret"), "copy"))
        self.verify.code.setMinimumHeight(230)
        body = QVBoxLayout()
        body.setContentsMargins(_INSET, 16, _INSET, 16)
        body.setSpacing(12)
        body.addWidget(Label(tr("Signing secret"), "section"))
        body.addWidget(Label(_ONCE, "text", "text2", wrap=True))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.secret, 1)
        row.addWidget(self.copy)
        body.addLayout(row)
        body.addWidget(self.verify)
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.done))
        self.secret.setAccessibleName(tr("Secret"))
        self.copy.clicked.connect(self._copy)
        self.done.clicked.connect(self.dismiss)

    def dismiss(self) -> None:
        """Close, and forget the secret."""
        self._secret = ""
        self.secret.clear()
        super().dismiss()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._secret)
        self._say(tr("Copied"), "check")
        self._copied.start()

    def _say(self, words: str, icon: str) -> None:
        self.copy.setText(words)
        self.copy.set_icon(icon)


class RemovalSheet(Sheet):
    """Asks before a webhook is deleted, and says what is deleted with it."""

    confirmed = Signal()

    def __init__(self, host: QWidget, webhook: WebhookSubscription) -> None:
        super().__init__(host, tr("Delete webhook"), 480)
        self.text = Label(
            tr(
                "{address} will no longer receive events, and its delivery log is deleted. "
                "This can't be undone. A new webhook gets a new secret.",
                address=address(webhook.url),
            ),
            "text",
            "text2",
            wrap=True,
        )
        self.go, self.cancel = danger(tr("Delete"), "trash-2"), Button(tr("Keep"), key_hint="Esc")
        body = QVBoxLayout()
        body.setContentsMargins(_INSET, 16, _INSET, 16)
        body.setSpacing(8)
        body.addWidget(Label(tr("Delete this webhook?"), "section"))
        body.addWidget(self.text)
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.cancel, self.go))
        self.cancel.clicked.connect(self.dismiss)
        self.go.clicked.connect(self._confirm)

    def _confirm(self) -> None:
        self.dismiss()
        self.confirmed.emit()


def new_webhook(
    host: QWidget, webhooks: Webhooks, made: Callable[[CreatedWebhookSubscription], None]
) -> AddressSheet:
    """Open the sheet for a new webhook; call back once the service has created it."""
    sheet = AddressSheet(host, tr("New webhook"), tr("Create"), with_events=True)

    async def create() -> Callable[[], object]:
        events = sheet.events.chosen() if sheet.events is not None else []
        return partial(made, await webhooks.create(sheet.address.text(), events))

    sheet.do(create)
    sheet.present(sheet.address)
    return sheet


def other_address(
    host: QWidget, webhooks: Webhooks, webhook: WebhookSubscription, changed: Callable[[], None]
) -> AddressSheet:
    """Open the sheet that changes the URL of a webhook."""
    sheet = AddressSheet(host, tr("Change URL"), tr("Save"))
    sheet.address.setText(webhook.url)

    async def change() -> Callable[[], object]:
        await webhooks.change(webhook.id, url=sheet.address.text())
        return changed

    sheet.do(change)
    sheet.present(sheet.address)
    return sheet
