"""The composer's messages, between its fields and its footer."""

from typing import Final

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desktop.theme import theme
from app.desktop.widgets import MessageStrip, announce

_BELOW: Final = 8
_OFFERS: Final = 3
"""Maximum number of offers to bring something back."""


class Strips(QWidget):
    """One message that the next one replaces, below offers to bring something back, which stay."""

    def __init__(self) -> None:
        super().__init__()
        self.current: MessageStrip | None = None
        self._offers: list[MessageStrip] = []
        self._column = QVBoxLayout(self)
        self._column.setSpacing(_BELOW)
        self._fit()

    def say(self, strip: MessageStrip) -> None:
        """Show a message, replacing the previous one."""
        self.unsay()
        self.current = strip
        strip.dismissed.connect(self.unsay)
        self._column.addWidget(strip)
        self._fit()
        announce(strip, strip.accessibleName())

    def unsay(self) -> None:
        """Remove the message."""
        if self.current is not None:
            _remove(self.current)
            self.current = None
            self._fit()

    def said(self) -> str:
        """Return the message, or ""."""
        return self.current.accessibleName() if self.current is not None else ""

    def offer(self, strip: MessageStrip) -> None:
        """Show a message whose button brings something back, until it's pressed or there are too many."""
        self._offers.append(strip)
        for ended in (strip.dismissed, strip.acted):
            ended.connect(lambda: self._withdraw(strip))
        for oldest in self._offers[:-_OFFERS]:
            self._withdraw(oldest)
        self._column.insertWidget(len(self._offers) - 1, strip)
        self._fit()
        announce(strip, strip.accessibleName())

    def offered(self) -> str:
        """Return the newest offer, or ""."""
        return self._offers[-1].accessibleName() if self._offers else ""

    def _withdraw(self, offer: MessageStrip) -> None:
        if offer in self._offers:
            self._offers.remove(offer)
            _remove(offer)
            self._fit()

    def _fit(self) -> None:
        gutter = theme.current().metrics.gutter
        is_empty = self.current is None and not self._offers
        self._column.setContentsMargins(gutter, 0, gutter, 0 if is_empty else _BELOW)


def _remove(strip: MessageStrip) -> None:
    strip.hide()
    strip.deleteLater()
