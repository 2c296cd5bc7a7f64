"""The list of a drop-down, which says nothing to a screen reader while it's closed."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QTimer
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QListView

Index = QModelIndex | QPersistentModelIndex


class ChoiceList(QListView):
    """The choices of a `QComboBox`.

    Qt takes an item for shown where it has a place in the view, and for focused where it's the current one,
    without asking whether the view is open. A closed list therefore has neither places nor a current item.
    """

    def __init__(self) -> None:
        super().__init__()
        self._is_opening = False
        self._closing = QTimer(self, singleShot=True)
        self._closing.timeout.connect(self._clear)

    def open_at(self, row: int, column: int) -> None:
        """Make a choice the current one; the list is about to open."""
        self._is_opening = True
        self.setCurrentIndex(self.model().index(row, column, self.rootIndex()))

    def opened(self) -> None:
        """End what `open_at` began."""
        self._is_opening = False

    def visualRect(self, index: Index) -> QRect:
        return super().visualRect(index) if self._is_open() else QRect()

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        if current.isValid() and not self._is_open():
            self._closing.start()  # not at once: the combo box reads what typing into it has found

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._clear()

    def _clear(self) -> None:
        if not self._is_open():
            self.selectionModel().clear()

    def _is_open(self) -> bool:
        return self._is_opening or self.isVisible()
