"""A delivery: its content, sending it again, and comparing it with another one."""

from collections.abc import Sequence
from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.contract.base import parse_timestamp
from app.contract.companion import DeliveryDetails
from app.contract.webhooks import WebhookDelivery
from app.desktop.aio import TaskScope
from app.desktop.kit.code import Code
from app.desktop.theme import theme
from app.desktop.webhooks.wording import attempt, status, when
from app.desktop.widgets import (
    Button,
    ComboBox,
    Divider,
    ElidedLabel,
    FlowLayout,
    Label,
    Reflow,
    Sheet,
    clear,
    quiet,
    scrolled,
    secondary,
)
from app.desktop.widgets.painting import insets
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr, trn
from app.workspace.foreign_texts import in_own_language
from app.workspace.messages import Problem
from app.workspace.webhooks.comparison import SENT, Compared, Delivered, body_differences, compared, pretty
from app.workspace.webhooks.webhooks import Webhooks

_INSET: Final = 20
_NO_BODIES: Final = tr("Headers and bodies are available only from services with Kalends extensions.")
_SAME: Final = tr("Both bodies are the same.")
_DELIVERY_INSET: Final = 16
_COLUMN_GAP: Final = 16
_HEADER_GAP: Final = 12
_VALUE_LEAST: Final = 150
"""Minimum width of a header's value next to its name, in pixels at 100 %."""
_NOT_TOLD: Final = tr("This service doesn't share request details.")
_NOTHING_SENT: Final = tr("Nothing was sent.")
OFF: Final = tr("The webhook is disabled. Enable it first.")


class CompareSheet(Sheet):
    """Compares two deliveries: their facts, differing ones first, and their bodies."""

    def __init__(
        self, host: QWidget, webhooks: Webhooks, attempts: Sequence[WebhookDelivery], zone: ZoneInfo
    ) -> None:
        """``attempts``: two or more of one event, earliest first. The last two are chosen first."""
        super().__init__(host, tr("Compare deliveries"), 860)
        self._webhooks, self._attempts, self._zone = webhooks, attempts, zone
        self._scope = TaskScope(self, self._refused)
        self.earlier, self.later = ComboBox(), ComboBox()
        self.note, self.difference = (
            Label("", "card", "text3", wrap=True),
            Code(tr("Bodies"), shows_differences=True),
        )
        self.facts: list[Compared] = []
        self._grid, self._holder = QGridLayout(), QWidget()
        self.close_button = Button(tr("Close"), key_hint="Esc")
        self._lay_out()
        for combo in (self.earlier, self.later):
            for one in attempts:
                words = tr(
                    "Attempt {attempt}, {when}, {status}",
                    attempt=attempt(one),
                    when=when(one.created_at, zone, seconds=True),
                    status=status(one)[1],
                )
                combo.addItem(words, str(one.id))
        self.earlier.setCurrentIndex(len(attempts) - 2)
        self.later.setCurrentIndex(len(attempts) - 1)
        for combo in (self.earlier, self.later):
            combo.currentIndexChanged.connect(lambda _row: self._begin())
        self.close_button.clicked.connect(self.dismiss)
        self._begin()

    def _begin(self) -> None:
        self._scope.cancel()
        self._scope.start(self._compare())

    async def _compare(self) -> None:
        chosen = [self._attempts[combo.currentIndex()] for combo in (self.earlier, self.later)]
        self._show(*(Delivered(record) for record in chosen))
        both = [Delivered(record, await self._webhooks.details(record.id)) for record in chosen]
        self._show(*both)

    def _show(self, earlier: Delivered, later: Delivered) -> None:
        facts = compared(earlier, later)
        self.facts = [*(one for one in facts if one.differs), *(one for one in facts if not one.differs)]
        clear(self._grid)
        for row, fact in enumerate(self.facts):
            weight = QFont.Weight.Medium if fact.differs else None
            tone = "text" if fact.differs else "text3"
            self._grid.addWidget(Label(fact.name, "card", "text2"), row, 0)
            for column, value in ((1, fact.earlier), (2, fact.later)):
                shown = self._moment(value) if fact.name == SENT else value
                self._grid.addWidget(
                    ElidedLabel(shown or tr("none"), "clock", tone, elide="middle", weight=weight),
                    row,
                    column,
                )
        self._show_bodies(earlier, later)

    def _show_bodies(self, earlier: Delivered, later: Delivered) -> None:
        difference = body_differences(earlier, later)
        is_same = bool(difference) and not any(
            line.startswith(("+ ", "- ")) for line in difference.splitlines()
        )
        self.note.setText(_SAME if is_same else _NO_BODIES if not self._webhooks.tells_details else "")
        self.note.setVisible(bool(self.note.text()))
        self.difference.setVisible(bool(difference))
        self.difference.show_code(difference)

    def _moment(self, value: str) -> str:
        return when(parse_timestamp(value), self._zone, seconds=True)

    def _refused(self, problem: Problem) -> None:
        self.note.setText(problem.text)
        self.note.show()

    def _lay_out(self) -> None:
        self._grid.setContentsMargins(insets(0, 0, 8, 0))
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(5)
        for column, share in ((0, 0), (1, 1), (2, 1)):
            self._grid.setColumnStretch(column, share)
        holder = QVBoxLayout(self._holder)
        holder.setContentsMargins(0, 0, 0, 0)
        holder.addLayout(self._grid)
        holder.addStretch(1)
        self.earlier.setAccessibleName(tr("First delivery"))
        self.later.setAccessibleName(tr("Second delivery"))
        choice = Reflow((1, 0, 1))
        for place, part in enumerate((self.earlier, Label(tr("with"), "card", "text3"), self.later)):
            choice.add(part, 0, place)
        body = QVBoxLayout()
        body.setContentsMargins(_INSET, 16, _INSET, 16)
        body.setSpacing(12)
        body.addWidget(Label(tr("Compare deliveries"), "section"))
        body.addWidget(choice)
        area = scrolled(self._holder)
        area.setMinimumHeight(230)
        body.addWidget(area, 1)
        body.addWidget(self.note)
        self.difference.setMinimumHeight(180)
        body.addWidget(self.difference, 1)
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.close_button))


class DeliveryPanel(QWidget):
    """Headers and actions on the left, the body on the right."""

    replayed = Signal()
    compared = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.problem = Label("", "card", "bad", wrap=True)
        self.note = Label("", "card", "text3", wrap=True)
        self.replay, self.compare = secondary(tr("Replay"), "rotate-cw", "small"), quiet("", "list", "small")
        self.body, self.body_note = Code(tr("Body of the delivery")), ElidedLabel("", "small", "text3")
        self._headers = QGridLayout()
        self._lines: list[tuple[Label, ElidedLabel]] = []
        """The names and values of the headers."""
        self._is_stacked = False
        """Whether values are below their names."""
        self._head, self._right = Label(tr("Request headers"), "card", "text2"), QWidget()
        self._lay_out()
        self.replay.clicked.connect(self.replayed)
        self.compare.clicked.connect(self.compared)

    def show_delivery(
        self, record: WebhookDelivery, others: Sequence[WebhookDelivery], *, tells: bool
    ) -> None:
        """Show a delivery. ``others`` are the other deliveries of its event. Its content follows."""
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

    def show_others(self, others: Sequence[WebhookDelivery]) -> None:
        """Offer to compare it with other deliveries of its event, if known."""
        if len(others) == 1:
            self.compare.setText(tr("Compare with attempt {number}", number=others[0].attempt))
        else:
            self.compare.setText(trn("Compare with {n} other", "Compare with {n} others", len(others)))
        self.compare.updateGeometry()
        self.compare.setVisible(bool(others))

    def show_details(self, details: DeliveryDetails | None, *, tells: bool, is_known: bool = True) -> None:
        """Show the content of a delivery. ``is_known``: the service was asked."""
        headers = details.request_headers or {} if details else {}
        self._head.setVisible(bool(headers))
        body = pretty(details.request_body) if details else ""
        self.body.show_code(body)
        self._right.setVisible(bool(body))
        self._fill(headers)
        compact = details is not None and body != (details.request_body or "")
        self.body_note.setText(tr("formatted for reading") if compact else "")
        missing = _NOT_TOLD if not tells else _NOTHING_SENT if is_known and not headers else ""
        self.note.setText(missing)
        self.note.setVisible(bool(missing))

    def hasHeightForWidth(self) -> bool:
        """Return False: the layout sets the height, whatever the buttons would need."""
        return False

    def allow(self, *, replays: bool, is_active: bool) -> None:
        """Set whether it can be replayed now."""
        self.replay.setEnabled(replays and is_active)
        self.replay.setToolTip(tr("Replay this delivery (R)") if is_active else OFF)

    def _fill(self, headers: dict[str, str]) -> None:
        clear(self._headers)
        self._lines = []
        for name, value in headers.items():
            told = ElidedLabel(value, "mono", elide="middle")
            told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._lines.append((Label(name, "mono", "text3"), told))
        self._place_headers()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put values below their names in a narrow column."""
        super().resizeEvent(event)
        if self._is_stacked != self._has_narrow_headers():
            self._place_headers()

    def _has_narrow_headers(self) -> bool:
        columns = 1 if self._right.isHidden() else 2
        room = (self.width() - 2 * _DELIVERY_INSET - (columns - 1) * _COLUMN_GAP) // columns
        names = max((name.sizeHint().width() for name, _ in self._lines), default=0)
        return room - names - _HEADER_GAP < theme.current().grown(_VALUE_LEAST)

    def _place_headers(self) -> None:
        self._is_stacked = self._has_narrow_headers()
        for row, (name, value) in enumerate(self._lines):
            for part in (name, value):
                self._headers.removeWidget(part)
            if self._is_stacked:
                self._headers.addWidget(name, 2 * row, 0, 1, 2)
                self._headers.addWidget(value, 2 * row + 1, 0, 1, 2)
            else:
                self._headers.addWidget(name, row, 0)
                self._headers.addWidget(value, row, 1)

    def _lay_out(self) -> None:
        self._headers.setHorizontalSpacing(_HEADER_GAP)
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
        middle.setContentsMargins(_DELIVERY_INSET, 10, _DELIVERY_INSET, 12)
        middle.setSpacing(_COLUMN_GAP)
        middle.addLayout(side, 1)
        middle.addWidget(self._right, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 0, 1, 0)
        column.setSpacing(0)
        column.addWidget(Divider(inner=True))
        column.addLayout(middle, 1)
