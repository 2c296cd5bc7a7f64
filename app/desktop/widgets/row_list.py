"""A list of rows that its delegate paints: without a frame, as long as it likes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from PySide6.QtCore import QAbstractItemModel, QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView

from app.desktop.widgets.item_view import ListView

T = TypeVar("T")


class RowList(ListView):
    """Rows are as high as each other, so that a hundred thousand of them scroll; arrows walk.

    Args:
        model: what it lists.
        name: what a screen reader calls it.
    """

    def __init__(self, model: QAbstractItemModel, name: str) -> None:
        super().__init__()
        self.setModel(model)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    @contextmanager
    def staying(self, at: Callable[[int], T | None], row_of: Callable[[T], int]) -> Iterator[None]:
        """Keep what is seen where it is while rows come and go; at the top, what is new shows.

        Args:
            at: what stands in a row.
            row_of: the row in which something stands then, -1 for none.
        """
        bar, top = self.verticalScrollBar(), self.indexAt(QPoint(1, 1))
        is_at_top, begins = bar.value() == 0, QListView.visualRect(self, top).top()
        seen = at(top.row()) if top.isValid() else None
        yield
        if is_at_top:
            self.scrollToTop()
        elif seen is not None and (row := row_of(seen)) >= 0:
            self.scrollTo(self.model().index(row, 0), QAbstractItemView.ScrollHint.PositionAtTop)
            bar.setValue(bar.value() - begins)
