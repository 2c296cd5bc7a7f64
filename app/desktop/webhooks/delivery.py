"""What one delivery carried, and sending it again."""

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.contract.companion import DeliveryDetails
from app.contract.webhooks import WebhookDelivery
from app.desktop.kit.code import Code
from app.desktop.webhooks.wording import status
from app.desktop.widgets import Divider, ElidedLabel, FlowLayout, Label, clear, quiet, scrolled, secondary
from app.language import tr, trn
from app.workspace.service_words import in_own_language
from app.workspace.webhooks.comparison import pretty

_INSET: Final = 16
_NOT_TOLD: Final = tr("The request is available only from services with Kalends extensions.")
_NOTHING_SENT: Final = tr("Nothing was sent.")
OFF: Final = tr("The webhook is disabled. Enable it first.")


class DeliveryPanel(QWidget):
    """Headers at the left, the body at the right, and what can be done below the headers."""

    replayed = Signal()
    compared = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.problem = Label("", "card", "bad", wrap=True)
        self.note = Label("", "card", "text3", wrap=True)
        self.replay, self.compare = secondary(tr("Replay"), "rotate-cw", "small"), quiet("", "list", "small")
        self.body, self.body_note = Code(tr("Body of the delivery")), ElidedLabel("", "small", "text3")
        self._headers = QGridLayout()
        self._head, self._right = Label(tr("Request headers"), "card", "text2"), QWidget()
        self._lay_out()
        self.replay.clicked.connect(self.replayed)
        self.compare.clicked.connect(self.compared)

    def show_delivery(self, record: WebhookDelivery, others: int, *, tells: bool) -> None:
        """Show a delivery of whose event ``others`` more are known; what it carried comes later."""
        word = tr("none") if record.status_code is None else status(record)[1]
        said = in_own_language(record.error_message or "")
        self.problem.setText(said if record.delivered_at is None else "")
        if record.delivered_at is None and not said:
            self.problem.setText(
                tr("The endpoint responded with {word}.", word=word)
                if record.status_code
                else tr("No response.")
            )
        self.problem.setVisible(bool(self.problem.text()))
        self.show_others(others)
        self.show_details(None, tells=tells, is_known=False)

    def show_others(self, others: int) -> None:
        """Offer to compare it with other deliveries of its event, where there are some."""
        self.compare.setText(trn("Compare with the other one", "Compare with {n} others", others))
        self.compare.updateGeometry()
        self.compare.setVisible(others > 0)

    def show_details(self, details: DeliveryDetails | None, *, tells: bool, is_known: bool = True) -> None:
        """Show what a delivery carried. ``is_known``: the service was asked."""
        headers = details.request_headers or {} if details else {}
        self._fill(headers)
        self._head.setVisible(bool(headers))
        body = pretty(details.request_body) if details else ""
        self.body.show_code(body)
        self._right.setVisible(bool(body))
        compact = details is not None and body != (details.request_body or "")
        self.body_note.setText(tr("formatted for reading") if compact else "")
        missing = _NOT_TOLD if not tells else _NOTHING_SENT if is_known and not headers else ""
        self.note.setText(missing)
        self.note.setVisible(bool(missing))

    def hasHeightForWidth(self) -> bool:
        """Its height is given to it, whatever its buttons would like."""
        return False

    def allow(self, *, replays: bool, is_active: bool) -> None:
        """Whether it can be delivered again now."""
        self.replay.setEnabled(replays and is_active)
        self.replay.setToolTip(tr("Replay this delivery (R)") if is_active else OFF)

    def _fill(self, headers: dict[str, str]) -> None:
        clear(self._headers)
        for row, (name, value) in enumerate(headers.items()):
            told = ElidedLabel(value, "mono", elide="middle")
            told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._headers.addWidget(Label(name, "mono", "text3"), row, 0)
            self._headers.addWidget(told, row, 1)

    def _lay_out(self) -> None:
        self._headers.setHorizontalSpacing(12)
        self._headers.setVerticalSpacing(3)
        self._headers.setColumnStretch(1, 1)
        holder = QWidget()
        left = QVBoxLayout(holder)
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(7)
        for part in (self.problem, self.note, self._head):
            left.addWidget(part)
        left.addLayout(self._headers)
        left.addStretch(1)
        line = QWidget()
        buttons = FlowLayout(line, gap=8)
        buttons.addWidget(self.replay)
        buttons.addWidget(self.compare)
        side = QVBoxLayout()
        side.setSpacing(8)
        side.addWidget(scrolled(holder), 1)
        side.addWidget(line)
        right, head = QVBoxLayout(self._right), QHBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(4)
        head.setSpacing(8)
        head.addWidget(Label(tr("Body"), "card", "text2"))
        head.addWidget(self.body_note, 1)
        right.addLayout(head)
        right.addWidget(self.body, 1)
        middle = QHBoxLayout()
        middle.setContentsMargins(_INSET, 10, _INSET, 12)
        middle.setSpacing(16)
        middle.addLayout(side, 1)
        middle.addWidget(self._right, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 0, 1, 0)
        column.setSpacing(0)
        column.addWidget(Divider(inner=True))
        column.addLayout(middle, 1)
