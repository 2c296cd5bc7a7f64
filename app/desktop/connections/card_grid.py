"""The cards of the accounts, as many side by side as fit."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QVBoxLayout, QWidget

from app.desktop.connections.account_card import AccountCard
from app.desktop.theme import theme

_CARD_LEAST = 316
_GAP = 16


class CardGrid(QWidget):
    """Holds cards until others come; the focus stays on the card of its account."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        gutter = theme.current().metrics.gutter
        self._cards: list[QWidget] = []
        self._columns = 0
        self._grid = QGridLayout()
        self._grid.setSpacing(_GAP)
        self._grid.setContentsMargins(gutter, 0, gutter, gutter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._grid)
        column.addStretch(1)

    def cards(self) -> list[AccountCard]:
        """Return the accounts' cards in their order."""
        return [card for card in self._cards if isinstance(card, AccountCard)]

    def set_cards(self, cards: Sequence[QWidget], width: int) -> None:
        """Show other cards, in a pane of a width."""
        held = self._held()
        for card in self._cards:
            self._grid.removeWidget(card)
            card.hide()
            card.deleteLater()
        self._cards = [*cards]
        self._place(_fitting(width))
        self._hold(held)

    def fit(self, width: int) -> None:
        """Put as many side by side as fit into a pane of a width."""
        if _fitting(width) != self._columns:
            self._place(_fitting(width))

    def _place(self, columns: int) -> None:
        for column in range(max(self._columns, columns)):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        self._columns = columns
        for index, card in enumerate(self._cards):
            self._grid.addWidget(card, *divmod(index, columns))

    def _held(self) -> tuple[str, str]:
        """The account on whose card the focus is, and the name of what has it."""
        focused: QWidget | None = self.window().focusWidget()
        if focused is None:
            return "", ""
        card = next((one for one in self.cards() if one.isAncestorOf(focused)), None)
        return (card.account.key, focused.accessibleName()) if card is not None else ("", "")

    def _hold(self, held: tuple[str, str]) -> None:
        """Gives the focus back to a card that was made anew."""
        card = next((one for one in self.cards() if one.account.key == held[0]), None)
        if card is not None:
            buttons = [one for one in card.findChildren(QAbstractButton) if one.isVisibleTo(card)]
            same = next((one for one in buttons if one.accessibleName() == held[1]), card.more)
            same.setFocus(Qt.FocusReason.OtherFocusReason)


def _fitting(width: int) -> int:
    """How many cards there is room for side by side."""
    gutter = theme.current().metrics.gutter
    least = round(_CARD_LEAST * theme.current().scale)
    return max(1, (width - 2 * gutter + _GAP) // (least + _GAP))
