"""The foot of the composer: what can be done with what is written."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.desktop.theme import theme

_GAP = 8
_QUIET_INSET = 10
"""A quiet button has no frame: its words, not its edge, stand in line with the rest."""


class Foot(QWidget):
    """Three buttons in a row; where their words need more, the quiet one stands above the others."""

    def __init__(self, keep: QPushButton, publish: QPushButton, schedule: QPushButton) -> None:
        super().__init__()
        self._keep, self._ways = keep, (publish, schedule)
        gutter = theme.current().metrics.gutter
        self._upper, self._lower = QHBoxLayout(), QHBoxLayout()
        self._upper.setContentsMargins(gutter - _QUIET_INSET, 0, gutter, 0)
        self._upper.setSpacing(_GAP)
        self._upper.addWidget(keep)
        self._upper.addStretch(1)
        for button in self._ways:
            self._upper.addWidget(button)
        self._lower.setContentsMargins(gutter, 0, gutter, 0)
        self._lower.setSpacing(_GAP)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 12, 0, 12)
        self._rows.setSpacing(0)
        self._rows.addLayout(self._upper)
        self._rows.addLayout(self._lower)

    def fit(self) -> None:
        """Stand in as many rows as the words need now."""
        margins = self._upper.contentsMargins()
        room = self.width() - margins.left() - margins.right() - 2 * _GAP
        needed = sum(button.sizeHint().width() for button in (self._keep, *self._ways))
        into, out_of = (self._lower, self._upper) if needed > room else (self._upper, self._lower)
        for button in self._ways:
            if into.indexOf(button) < 0:
                out_of.removeWidget(button)
                into.addWidget(button)
            if into is self._lower:  # each as wide as its words need, and the rest shared
                into.setStretchFactor(button, button.sizeHint().width())
        self._rows.setSpacing(6 if into is self._lower else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()
