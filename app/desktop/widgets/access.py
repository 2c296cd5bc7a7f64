"""Tells screen readers what Qt's own list view would only say of rows that it laid out itself."""

from PySide6.QtCore import QItemSelection
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QWidget


def announce_focus(view: QWidget, row: int) -> None:
    """Says that the card of a row has the focus now."""
    _send(view, row, QAccessible.Event.Focus)


def announce_selection(view: QWidget, cards: QItemSelection, *, added: bool) -> None:
    """Says that cards were chosen, or are no longer."""
    kind = QAccessible.Event.SelectionAdd if added else QAccessible.Event.SelectionRemove
    if QAccessible.isActive():  # nobody needs hundreds of rows named that nobody hears of
        for index in cards.indexes():
            _send(view, index.row(), kind)


def _send(view: QWidget, row: int, kind: QAccessible.Event) -> None:
    if not QAccessible.isActive():
        return
    event = QAccessibleEvent(view, kind)
    event.setChild(row)
    QAccessible.updateAccessibility(event)
