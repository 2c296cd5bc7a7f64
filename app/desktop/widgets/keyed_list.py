"""A list that can be listed again while the user points at its rows."""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QListWidgetItem

from app.desktop.widgets.screen_reader import ListWidget

T = TypeVar("T")
KEY: Final = Qt.ItemDataRole.UserRole
"""The role of an item's key."""


class KeyedList(ListWidget):
    """Lists items by key.

    Listing other keys keeps the items that stay: their selection, the focus, the scroll position, and a press
    on them, so that a click or a drag isn't lost when something arrives in the middle of it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._items: dict[str, QListWidgetItem] = {}

    def listed(self) -> list[str]:
        """Return the keys in their listed order."""
        return [str(self.item(row).data(KEY)) for row in range(self.count())]

    def current_key(self) -> str:
        """Return the current item's key; "" if there is none."""
        item: QListWidgetItem | None = self.currentItem()
        return str(item.data(KEY)) if item is not None else ""

    def list_items(self, contents: Mapping[str, T], fill: Callable[[QListWidgetItem, T], None]) -> None:
        """List an item for each key in this order; ``fill`` writes its content into it."""
        for key in self._items.keys() - contents.keys():
            self.takeItem(self.row(self._items.pop(key)))
        for row, (key, content) in enumerate(contents.items()):
            if (item := self._items.get(key)) is None:
                self._items[key] = item = QListWidgetItem()
                item.setData(KEY, key)
                fill(item, content)  # before the list asks for its size
                self.insertItem(row, item)
                continue
            if (before := self.row(item)) != row:
                self.model().moveRow(QModelIndex(), before, QModelIndex(), row)
            fill(item, content)
