"""The grid of files."""

from PySide6.QtCore import QItemSelectionModel, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView

from app.desktop.media.file_row import FileRow, row_height
from app.desktop.media.model import MediaModel
from app.desktop.media.thumbnails import TILE, Thumbnails
from app.desktop.media.tile import MARGIN, TileDelegate, tile_height
from app.desktop.theme import theme
from app.desktop.widgets.item_view import ListView
from app.language import tr
from app.workspace.media.library import MediaItem
from app.workspace.media.thumbnails import Pictures

_LEAST = 132
"""How wide a tile is at least; they share what is left over."""


class MediaGrid(ListView):
    """Tiles side by side, as many as fit, or rows with columns.

    Arrows walk, Ctrl and Shift choose several, Enter opens.
    """

    opened = Signal()
    removed = Signal()
    """The person wants to delete what is chosen."""
    menu_asked = Signal(QPoint)
    """Where on the screen."""
    chosen = Signal()
    """Other files are chosen."""

    def __init__(self, model: MediaModel, pictures: Pictures) -> None:
        super().__init__()
        self.files = model
        self.thumbnails = Thumbnails(self, pictures)
        self._tiles, self._rows = TileDelegate(self, self.thumbnails), FileRow(self, self.thumbnails)
        self.setModel(model)
        self.setItemDelegate(self._tiles)
        self._set_up()
        self.thumbnails.arrived.connect(self._show_picture)
        self.activated.connect(lambda _index: self.opened.emit())
        self.selectionModel().selectionChanged.connect(lambda _new, _old: self.chosen.emit())
        theme.follow(self._fit)

    def chosen_items(self) -> list[MediaItem]:
        """What is chosen, in the order of the grid."""
        rows = sorted(index.row() for index in self.selectedIndexes())
        return [item for row in rows if (item := self.files.item(row)) is not None]

    def current_item(self) -> MediaItem | None:
        """The file at the cursor where it is chosen, else the first one that is."""
        current = self.currentIndex()
        if current.isValid() and self.selectionModel().isSelected(current):
            return self.files.item(current.row())
        return next(iter(self.chosen_items()), None)

    def choose(self, paths: list[str]) -> None:
        """Chooses those of these files that show, and puts the cursor on the first one."""
        rows = [row for path in paths if (row := self.files.row_of(path)) >= 0]
        selection, flag = self.selectionModel(), QItemSelectionModel.SelectionFlag
        selection.clearSelection()
        for row in rows:
            selection.select(self.files.index(row), flag.Select)
        if rows:
            selection.setCurrentIndex(self.files.index(rows[0]), flag.NoUpdate)
            self.scrollTo(self.files.index(rows[0]))

    @property
    def is_list(self) -> bool:
        """Whether there is a row for each file."""
        return self.itemDelegate() is self._rows

    def show_as(self, form: str) -> None:
        """Shows files in one of ``model.FORMS``; what is chosen stays so, and in sight."""
        is_list = form == "list"
        if is_list == self.is_list:
            return
        self.setItemDelegate(self._rows if is_list else self._tiles)
        self.setWrapping(not is_list)
        self.setFlow(QListView.Flow.TopToBottom if is_list else QListView.Flow.LeftToRight)
        self._fit()
        self.executeDelayedItemsLayout()
        self.scrollTo(self.currentIndex())

    def scroll_back(self, place: int) -> None:
        """Restore the scroll position after the files were listed again."""
        self.executeDelayedItemsLayout()
        self.verticalScrollBar().setValue(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Takes Del; Enter and arrows are Qt's."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.selectedIndexes():
            self.removed.emit()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.selectedIndexes():
            self.opened.emit()
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Request the menu of the selection, next to it if a key was pressed."""
        if not self.selectedIndexes():
            return
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        beside = self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).center())
        self.menu_asked.emit(beside if by_key else event.globalPos())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shares the width among as many tiles as fit."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = self.viewport().width() - 1
        if self.is_list:
            self._set_size(self._rows, QSize(room, row_height()))
            return
        columns = max(1, room // (_LEAST + 2 * MARGIN))
        width = min(room // columns, TILE.width() + 2 * MARGIN)
        self._set_size(self._tiles, QSize(width, tile_height(width)))

    def _set_size(self, delegate: TileDelegate | FileRow, size: QSize) -> None:
        if size != delegate.size or size != self.gridSize():
            delegate.size = size
            self.setGridSize(size)
            self.scheduleDelayedItemsLayout()

    def _show_picture(self, path: str) -> None:
        row = self.files.row_of(path)
        if row >= 0:
            self.viewport().update(self.visualRect(self.files.index(row)))

    def _enable_bar(self, _lowest: int, highest: int) -> None:
        self.verticalScrollBar().setEnabled(highest > 0)

    def _set_up(self) -> None:
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # nothing jumps when it comes
        self.verticalScrollBar().rangeChanged.connect(self._enable_bar)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setStyleSheet("QListView { background: transparent; }")
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Files"))
