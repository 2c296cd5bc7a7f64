"""Two deliveries of one event side by side."""

from collections.abc import Sequence
from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.contract.base import parse_timestamp
from app.contract.webhooks import WebhookDelivery
from app.desktop.aio import TaskScope
from app.desktop.kit.code import Code
from app.desktop.webhooks.wording import attempt, status, when
from app.desktop.widgets import Button, ComboBox, Divider, ElidedLabel, Label, Reflow, Sheet, clear, scrolled
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr
from app.workspace.messages import Problem
from app.workspace.webhooks.comparison import SENT, Compared, Delivered, body_differences, compared
from app.workspace.webhooks.webhooks import Webhooks

_INSET: Final = 20
_NO_BODIES: Final = tr("Headers and bodies are available only from services with Kalends extensions.")
_SAME: Final = tr("Both bodies are the same.")


class CompareSheet(Sheet):
    """Facts of two deliveries, those that differ first; the difference of the bodies below."""

    def __init__(
        self, host: QWidget, webhooks: Webhooks, attempts: Sequence[WebhookDelivery], zone: ZoneInfo
    ) -> None:
        """``attempts``: two or more of one event, the earliest first; the last two are compared at first."""
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
        self._grid.setContentsMargins(0, 0, 8, 0)
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
