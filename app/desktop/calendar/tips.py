"""What a card or a pill says in full, for the pointer that rests on it: both cut their text short."""

import textwrap
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem, QToolTip

if TYPE_CHECKING:
    from app.desktop.calendar.view import CalendarView

_LINE = 60
"""Characters; a tooltip of plain text does not wrap by itself."""


class CardTips(QStyledItemDelegate):
    """Shows over a card what a screen reader says of it.

    Qt asks an item's delegate. A filter of the view's events would see every one of them, and a move of the
    mouse would cost a tenth more.
    """

    def __init__(self, view: "CalendarView") -> None:
        super().__init__(view)
        self._view = view

    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> bool:
        """Answers the question for a tooltip of a card, a pill or what lies between them."""
        if event.type() is not QHelpEvent.Type.ToolTip:
            return super().helpEvent(event, view, option, index)
        pill = self._view.pills.at(event.pos())
        if pill is not None:
            words = pill.whole if pill.text != pill.whole else ""
            QToolTip.showText(event.globalPos(), words, self._view.viewport(), pill.place)
        elif index.isValid():
            words = str(index.data(Qt.ItemDataRole.AccessibleTextRole))
            shown = "\n".join(textwrap.wrap(words, _LINE))
            QToolTip.showText(event.globalPos(), shown, self._view.viewport(), self._view.visualRect(index))
        else:
            QToolTip.hideText()
        return True
