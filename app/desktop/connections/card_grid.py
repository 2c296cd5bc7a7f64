"""The cards of the accounts, as many side by side as fit."""

from collections.abc import Sequence

from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.desktop.connections.account_card import AccountCard
from app.desktop.connections.kept_focus import give_back, has_menu_open, held
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

    def has_menu_open(self) -> bool:
        """Return whether the person chooses from a menu of one of the cards."""
        return has_menu_open(self._cards)

    def set_cards(self, cards: Sequence[QWidget], width: int) -> None:
        """Show other cards, in a pane of a width."""
        place = held(self.window(), self._cards)
        for card in self._cards:
            self._grid.removeWidget(card)
            card.hide()
            card.deleteLater()
        self._cards = [*cards]
        self._place(_fitting(width))
        give_back(self.window(), self._cards, place)

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


def _fitting(width: int) -> int:
    """How many cards there is room for side by side."""
    gutter = theme.current().metrics.gutter
    least = round(_CARD_LEAST * theme.current().scale)
    return max(1, (width - 2 * gutter + _GAP) // (least + _GAP))
