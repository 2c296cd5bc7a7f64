"""Keeps the focus in its place when cards are rebuilt, also behind a sheet."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from app.desktop.connections.account_card import AccountCard, NextAccount
from app.desktop.widgets import Sheet

Place = tuple[str, str]
"""An account and the name of what has the focus on its card. No account: the place for the next one."""


def held(window: QWidget, cards: Iterable[QWidget]) -> Place | None:
    """Which of the cards has the focus, or gets it back when the sheet above them is closed."""
    focused: QWidget | None = window.focusWidget()
    if (sheet := _sheet_around(focused)) is not None:
        focused = sheet.gives_back_to
    card = next((one for one in cards if focused and (one is focused or one.isAncestorOf(focused))), None)
    if focused is None or card is None:
        return None
    return (card.account.key if isinstance(card, AccountCard) else "", focused.accessibleName())


def give_back(window: QWidget, cards: Sequence[QWidget], place: Place | None) -> None:
    """Focus the widget now in this place, immediately or when the sheet above is closed."""
    same = _standing_in(cards, *place) if place is not None else None
    sheet = _sheet_around(window.focusWidget())
    if same is not None and sheet is not None:
        sheet.gives_back_to = same
    elif same is not None:
        same.setFocus(Qt.FocusReason.OtherFocusReason)


def has_menu_open(cards: Sequence[QWidget]) -> bool:
    """Whether the person chooses from a menu of one of the cards, which would go with it."""
    above: QObject | None = QApplication.activePopupWidget()
    while above is not None and above not in cards:
        above = above.parent()
    return above is not None


def _standing_in(cards: Iterable[QWidget], key: str, name: str) -> QWidget | None:
    if not key:
        return next((one for one in cards if isinstance(one, NextAccount)), None)
    card = next((one for one in cards if isinstance(one, AccountCard) and one.account.key == key), None)
    if card is None:
        return None
    buttons = [one for one in card.findChildren(QAbstractButton) if one.isVisibleTo(card)]
    return next((one for one in buttons if one.accessibleName() == name), card.more)


def _sheet_around(widget: QWidget | None) -> Sheet | None:
    while widget is not None and not isinstance(widget, Sheet):
        widget = widget.parentWidget()
    return widget
