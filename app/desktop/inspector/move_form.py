"""The form that moves a post: day and time, and why a time isn't possible."""

from collections.abc import Callable
from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.composer.when import WhenField
from app.desktop.widgets import Divider, Label, announce, primary, secondary
from app.language import tr
from app.workspace.clock import Clock

Refusal = Callable[[int], str | None]

_TITLE: Final = tr("Move to")


class MoveForm(QWidget):
    """Hidden until it's opened.

    Args:
        inset: the space at its sides, in px.
        refusal: returns why the post can't be at a time in ms since 1970 UTC, or None.
    """

    confirmed = Signal(object)
    """The new time in ms since 1970 UTC."""
    closed = Signal()

    def __init__(
        self,
        zone: ZoneInfo,
        at: int,
        refusal: Refusal,
        now: Clock,
        *,
        inset: int = 20,
    ) -> None:
        super().__init__()
        self._refusal = refusal
        self.when = WhenField(zone, at, _TITLE, now=now, with_zone=False)
        self.refusal = Label("", "card", "bad", wrap=True)
        self.move_button = primary(tr("Move"))
        self.cancel_button = secondary(tr("Cancel"))
        self.refusal.hide()
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(self.cancel_button)
        row.addWidget(self.move_button)
        inner = QVBoxLayout()
        inner.setContentsMargins(inset, 12, inset, 12)
        inner.setSpacing(8)
        inner.addWidget(self.when)
        inner.addWidget(self.refusal)
        inner.addLayout(row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Divider())
        column.addLayout(inner)
        self.when.changed.connect(self._show_refusal)
        self.move_button.clicked.connect(self._confirm)
        self.cancel_button.clicked.connect(self._close)
        self.hide()

    def open_at(self, at: int, action: str, title: str = _TITLE) -> None:
        """Ask for a time, starting from ``at``; ``action`` is the label of the button."""
        self.when.set_title(title)
        self.move_button.setText(action)
        self.move_button.updateGeometry()
        self.when.set_at(at)
        self.refusal.hide()
        self.show()
        self.when.date.setFocus(Qt.FocusReason.TabFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Confirm on Enter."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._confirm()
        else:
            super().keyPressEvent(event)

    def _show_refusal(self) -> None:
        at = self.when.at()
        refused = self._refusal(at) if at is not None and not self.when.problem() else None
        self.refusal.setText(refused or "")
        self.refusal.setVisible(bool(refused))

    def _confirm(self) -> None:
        at = self.when.at()
        if at is None or self.when.problem():
            announce(self, self.when.note(), urgent=True)
            self.when.focus_problem()
            return
        self._show_refusal()
        if self.refusal.text():
            announce(self, self.refusal.text(), urgent=True)
            return
        self._close()
        self.confirmed.emit(at)

    def _close(self) -> None:
        self.hide()
        self.closed.emit()
