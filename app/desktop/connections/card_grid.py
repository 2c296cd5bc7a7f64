"""The grid of account cards, as many in a row as fit; rebuilding them keeps the focus."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QVBoxLayout, QWidget

from app.desktop.connections.account_card import AccountCard, NextAccount
from app.desktop.theme import theme
from app.desktop.widgets import Sheet

Place = tuple[str, str]
"""An account, "" for `NextAccount`, and the accessible name of the focused widget on its card."""
CARD_LEAST = 316
GAP = 16
"""Distance of the cards, in px."""


def held(window: QWidget, cards: Iterable[QWidget]) -> Place | None:
    """Return the place that has the focus, or gets it back when the sheet above the cards is closed."""
    focused: QWidget | None = window.focusWidget()
    if (sheet := _sheet_around(focused)) is not None:
        focused = sheet.gives_back_to
    card = next((one for one in cards if focused and (one is focused or one.isAncestorOf(focused))), None)
    if focused is None or card is None:
        return None
    return (card.account.key if isinstance(card, AccountCard) else "", focused.accessibleName())


def give_back(window: QWidget, cards: Sequence[QWidget], place: Place | None) -> None:
    """Focus the current widget in this place, immediately or when the sheet above is closed."""
    same = _standing_in(cards, *place) if place is not None else None
    sheet = _sheet_around(window.focusWidget())
    if same is not None and sheet is not None:
        sheet.gives_back_to = same
    elif same is not None:
        same.setFocus(Qt.FocusReason.OtherFocusReason)


def _standing_in(cards: Iterable[QWidget], key: str, name: str) -> QWidget | None:
    if not key:
        tiles = [one for one in cards if isinstance(one, NextAccount)]
        return next((one for one in tiles if one.accessibleName() == name), tiles[-1] if tiles else None)
    card = next((one for one in cards if isinstance(one, AccountCard) and one.account.key == key), None)
    if card is None:
        return None
    buttons = [one for one in card.findChildren(QAbstractButton) if one.isVisibleTo(card)]
    return next((one for one in buttons if one.accessibleName() == name), card.more)


def _sheet_around(widget: QWidget | None) -> Sheet | None:
    while widget is not None and not isinstance(widget, Sheet):
        widget = widget.parentWidget()
    return widget


class CardGrid(QWidget):
    """Holds cards until they're replaced; the focus stays on the card of its account."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        gutter = theme.current().metrics.gutter
        self._cards: list[QWidget] = []
        self._fillers: list[QWidget] = []
        """What keeps the room of columns without a card, whose spacing Qt would give to the others."""
        self._columns = 0
        self._grid = QGridLayout()
        self._grid.setSpacing(GAP)
        self._grid.setContentsMargins(gutter, 0, gutter, gutter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._grid)
        column.addStretch(1)

    def cards(self) -> list[AccountCard]:
        """Return the account cards in order."""
        return [card for card in self._cards if isinstance(card, AccountCard)]

    def set_cards(self, cards: Sequence[QWidget], width: int) -> None:
        """Replace the cards, in a pane of this width."""
        place = held(self.window(), self._cards)
        for card in self._cards:
            self._grid.removeWidget(card)
            card.hide()
            card.deleteLater()
        self._cards = [*cards]
        self._place(_fitting(width))
        give_back(self.window(), self._cards, place)

    def fit(self, width: int) -> None:
        """Put as many cards in a row as fit into a pane of this width."""
        if _fitting(width) != self._columns:
            self._place(_fitting(width))

    def _place(self, columns: int) -> None:
        for column in range(max(self._columns, columns)):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        self._columns = columns
        for index, card in enumerate(self._cards):
            self._grid.addWidget(card, *divmod(index, columns))
        for filler in self._fillers:
            self._grid.removeWidget(filler)
            filler.deleteLater()
        self._fillers = [QWidget() for _column in range(len(self._cards), columns)]
        for column, filler in enumerate(self._fillers, len(self._cards)):
            self._grid.addWidget(filler, 0, column)


def _fitting(width: int) -> int:
    """Return how many cards fit next to each other."""
    gutter = theme.current().metrics.gutter
    least = round(CARD_LEAST * theme.current().scale)
    return max(1, (width - 2 * gutter + GAP) // (least + GAP))
