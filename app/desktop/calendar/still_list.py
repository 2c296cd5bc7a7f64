"""A list view that lays nothing out and moves nothing by itself.

Qt's own layout asks for every row: with it one changed row costs seconds (measured), without it 0.4 ms.
"""

from collections.abc import Sequence

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QAbstractItemView

from app.desktop.widgets import access
from app.desktop.widgets.item_view import ListView

Index = QModelIndex | QPersistentModelIndex


class StillListView(ListView):
    """Keeps model, selection and accessibility of Qt's view; whoever inherits says where rows are."""

    def doItemsLayout(self) -> None:
        """Clears Qt's pending flag and lays nothing out."""
        QAbstractItemView.doItemsLayout(self)

    def dataChanged(self, top_left: Index, bottom_right: Index, roles: Sequence[int] = ()) -> None:
        QAbstractItemView.dataChanged(self, top_left, bottom_right, roles)

    def rowsInserted(self, parent: Index, start: int, end: int) -> None:
        """Nothing: the model names the days that changed."""

    def rowsAboutToBeRemoved(self, parent: Index, start: int, end: int) -> None:
        QAbstractItemView.rowsAboutToBeRemoved(self, parent, start, end)

    def horizontalScrollbarValueChanged(self, value: int) -> None:  # noqa: N802  Qt's
        """Nothing: Qt would look at each step for the row under the pointer, and nothing here shows that."""

    def verticalScrollbarValueChanged(self, value: int) -> None:  # noqa: N802  Qt's
        """Nothing, as above."""

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Stays: keys are handled before Qt would walk rows."""
        del action, modifiers
        return self.currentIndex()

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        """Nothing: our own selection is mirrored to Qt's, not the other way round."""

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        """Nothing: the view repaints chosen cards itself."""
        del selection
        return QRegion()

    def keyboardSearch(self, text: str) -> None:
        """Nothing: Qt would search all rows for a letter that means a command here."""

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Tells screen readers; Qt would say it of a row that it did not lay out."""
        QAbstractItemView.currentChanged(self, current, previous)
        if current.isValid():
            access.announce_focus(self, current.row())

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        QAbstractItemView.selectionChanged(self, selected, deselected)
        access.announce_selection(self, deselected, added=False)
        access.announce_selection(self, selected, added=True)
