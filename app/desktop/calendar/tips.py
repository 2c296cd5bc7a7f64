"""What a card or a pill says in full, for the pointer that rests on it: both cut their text short."""

import textwrap
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QHelpEvent, Qt
from PySide6.QtWidgets import QToolTip

if TYPE_CHECKING:
    from app.desktop.calendar.view import CalendarView

_LINE = 60
"""Characters; a tooltip of plain text does not wrap by itself."""


class CardTips(QObject):
    """Shows over a card what a screen reader says of it."""

    def __init__(self, view: "CalendarView") -> None:
        super().__init__(view)
        self._view = view
        view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Answers the question for a tooltip, and lets everything else pass."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            self._answer(event)
            return True
        return super().eventFilter(watched, event)

    def _answer(self, event: QHelpEvent) -> None:
        pill = self._view.pills.at(event.pos())
        if pill is not None:
            words = pill.whole if pill.text != pill.whole else ""
            QToolTip.showText(event.globalPos(), words, self._view.viewport(), pill.place)
            return
        index = self._view.indexAt(event.pos())
        if not index.isValid():
            QToolTip.hideText()
            return
        words = str(index.data(Qt.ItemDataRole.AccessibleTextRole))
        shown = "\n".join(textwrap.wrap(words, _LINE))
        place = self._view.visualRect(index)
        QToolTip.showText(event.globalPos(), shown, self._view.viewport(), place)
