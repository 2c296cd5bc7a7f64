"""The Qt model of files: filtering, sorting, and the data of drags."""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QAbstractListModel, QMimeData, QModelIndex, QPersistentModelIndex, Qt

from app.contract.enums import PostType
from app.desktop import carried
from app.desktop.media.wording import kind_name, spoken
from app.desktop.palette.lookup import folded
from app.language import tr
from app.workspace.media.library import MediaItem

ITEM = Qt.ItemDataRole.UserRole
"""The MediaItem."""
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)

Index = QModelIndex | QPersistentModelIndex

ORDERS: dict[str, tuple[str, Callable[[MediaItem], Any], bool]] = {
    "newest": (tr("Newest first"), lambda item: item.file.created_at or _LONG_AGO, True),
    "oldest": (tr("Oldest first"), lambda item: item.file.created_at or _LONG_AGO, False),
    "name": (tr("By name"), lambda item: folded(item.name), False),
    "name-back": (tr("By name, from Z"), lambda item: folded(item.name), True),
    "largest": (tr("Largest first"), lambda item: item.file.size_bytes or 0, True),
    "smallest": (tr("Smallest first"), lambda item: item.file.size_bytes or 0, False),
    "longest": (tr("Longest first"), lambda item: item.file.duration_ms or 0, True),
    "shortest": (tr("Shortest first"), lambda item: item.file.duration_ms or 0, False),
    "used": (tr("Most used first"), lambda item: len(item.used_in), True),
    "unused": (tr("Least used first"), lambda item: len(item.used_in), False),
    "kind": (tr("By type"), kind_name, False),
    "kind-back": (tr("By type, from Z"), kind_name, True),
}
"""By key: what people read, what is compared, and whether the greatest comes first."""
FORMS = {"grid": "icon:layout-grid:" + tr("Grid"), "list": "icon:list:" + tr("List")}
KINDS = {"all": tr("All"), "image": tr("Images"), "video": tr("Videos")}


class MediaModel(QAbstractListModel):
    """``items`` are all files; rows are those matching search text and type, sorted."""

    def __init__(self) -> None:
        super().__init__()
        self.items: Sequence[MediaItem] = ()
        self._rows: list[MediaItem] = []
        self._row_of: dict[str, int] = {}
        self._told: dict[str, str] = {}
        self._words, self._kind, self._order = "", "all", "newest"

    def show(self, items: Sequence[MediaItem]) -> bool:
        """Set the files; return whether the list of files changed."""
        if items == self.items:
            return False
        self.items = items
        self._told.clear()
        self._arrange()
        return True

    def narrow(self, *, words: str | None = None, kind: str | None = None, order: str | None = None) -> None:
        """Set search text, type and order."""
        wanted = (
            self._words if words is None else " ".join(folded(words).split()),
            kind or self._kind,
            order or self._order,
        )
        if wanted != (self._words, self._kind, self._order):
            self._words, self._kind, self._order = wanted
            self._arrange()

    @property
    def is_narrowed(self) -> bool:
        """Whether a filter may hide files."""
        return bool(self._words) or self._kind != "all"

    def item(self, row: int) -> MediaItem | None:
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def row_of(self, path: str) -> int:
        """Return the row of a file, -1 if it's hidden."""
        return self._row_of.get(path, -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name, the description, or the item itself."""
        item = self.item(index.row())
        if item is None:
            return None
        if role == ITEM:
            return item
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return item.name
        return spoken(item) if role == Qt.ItemDataRole.AccessibleTextRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Files can be selected and dragged."""
        return super().flags(index) | Qt.ItemFlag.ItemIsDragEnabled

    def mimeTypes(self) -> list[str]:  # noqa: N802  Qt's
        return [carried.MEDIA]

    def mimeData(self, indexes: Iterable[Index]) -> QMimeData:  # noqa: N802  Qt's
        """Return the storage paths of the dragged files."""
        data = QMimeData()
        items = [item for index in indexes if (item := self.item(index.row())) is not None]
        carried.pack(data, carried.MEDIA, [item.path for item in items])
        return data

    def _arrange(self) -> None:
        """Filter and sort the files again; those that stay keep their selection, and a press on them."""
        _, key, backwards = ORDERS[self._order]
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        paths = [item.path if (item := self.item(index.row())) is not None else "" for index in before]
        self._rows = sorted(filter(self._fits, self.items), key=key, reverse=backwards)
        self._row_of = {item.path: row for row, item in enumerate(self._rows)}
        self.changePersistentIndexList(before, [self.index(self.row_of(path)) for path in paths])
        self.layoutChanged.emit()

    def _fits(self, item: MediaItem) -> bool:
        if self._kind != "all" and item.file.kind is not PostType(self._kind):
            return False
        return not self._words or all(word in self._words_of(item) for word in self._words.split())

    def _words_of(self, item: MediaItem) -> str:
        if item.path not in self._told:
            self._told[item.path] = folded(f"{item.name} {item.file.alt_text or ''}")
        return self._told[item.path]
