"""Item views that say nothing to a screen reader while they don't show."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QListWidget, QTableView

Index = QModelIndex | QPersistentModelIndex
_ENSURE = QAbstractItemView.ScrollHint.EnsureVisible

if TYPE_CHECKING:
    _View = QAbstractItemView
else:
    _View = object  # a class can't inherit from two of Qt's


class _WhileShown(_View):
    """Takes items their places while the view is hidden.

    Qt takes an item for shown where it has a place in the view, without asking whether the view shows.
    """

    _asks_itself = False

    def visualRect(self, index: Index) -> QRect:
        return super().visualRect(index) if self.isVisible() or self._asks_itself else QRect()

    def scrollTo(self, index: Index, hint: QAbstractItemView.ScrollHint = _ENSURE) -> None:
        with self._placed():
            super().scrollTo(index, hint)

    def paintEvent(self, event: QPaintEvent) -> None:
        with self._placed():  # a hidden view still paints when it's grabbed
            super().paintEvent(event)

    @contextmanager
    def _placed(self) -> Iterator[None]:
        """Items have their places, also in a hidden view: it goes by them itself."""
        self._asks_itself = True
        try:
            yield
        finally:
            self._asks_itself = False


class ListView(_WhileShown, QListView):
    """A list of a model."""


class ListWidget(_WhileShown, QListWidget):
    """A list that keeps its own items."""


class TableView(_WhileShown, QTableView):
    """A table of a model."""
