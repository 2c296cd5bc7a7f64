"""The grid of files, and how a file is painted in it."""

from PySide6.QtCore import QItemSelectionModel, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFont, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QStyleOptionViewItem, QWidget

from app.contract.enums import PostType
from app.desktop.kit.row_delegate import MIDDLE, Index, Row, RowDelegate
from app.desktop.media.columns import FileRow, row_height
from app.desktop.media.model import ITEM, MediaModel
from app.desktop.media.thumbnails import ICONS, TILE, Thumbnails
from app.desktop.media.wording import brief_facts, length
from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_icon, rounded
from app.desktop.widgets.screen_reader import ListView
from app.language import tr
from app.workspace.media.library import MediaItem
from app.workspace.media.thumbnails import Pictures

MARGIN = 8
"""Space around the picture; it contains the ring of the selected tile, 6 px outside."""
_GAP = 6
_RING = 6
_LEAST = 132
"""Least width of a picture at 100 %, and at any text size if there are only two in a row."""
_USUAL, _FEW = 160, 4
"""Width of a picture where there is room for more than a few in a row."""


def columns_in(room: int) -> int:
    """Return how many tiles fit into a width, with room for their captions."""
    narrow, usual = (room // (least + 2 * MARGIN) for least in (_LEAST, theme.current().grown(_LEAST)))
    return max(1, room // (theme.current().grown(_USUAL) + 2 * MARGIN), min(_FEW, usual), min(2, narrow))


def tile_height(width: int) -> int:
    """Return the height of a tile of a width, at the current text size."""
    lines = sum(QFontMetrics(theme.current().font(role)).height() for role in ("card", "small"))
    return _picture_height(width) + lines + 2 * MARGIN + _GAP + 2


class TileDelegate(RowDelegate):
    """Paints a 4:3 picture, the name, and a line of facts."""

    def __init__(self, parent: QWidget, thumbnails: Thumbnails) -> None:
        super().__init__(parent)
        self._thumbnails = thumbnails
        self.size = QSize(160, 160)

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return self.size

    def paint_row(self, row: Row, index: Index) -> None:
        """Paint selection, picture, name and facts."""
        item: MediaItem | None = index.data(ITEM)
        if item is None:
            return
        area = row.area
        self._paint_ring(row)
        height = _picture_height(area.width())
        picture = QRect(area.left() + MARGIN, area.top() + MARGIN, area.width() - 2 * MARGIN, height)
        self._paint_picture(row, picture, item)
        if item.file.kind is PostType.VIDEO:
            _paint_length(row.painter, QRectF(picture), item.file.duration_ms)
        look, line = theme.current(), QRect(picture.left(), picture.bottom() + _GAP, picture.width(), 1)
        name, small = look.font("card", QFont.Weight.Medium), look.font("small")
        line.setHeight(QFontMetrics(name).height())
        row.write(line, item.name, name, "text", elide=MIDDLE)
        line.translate(0, line.height() + 2)
        line.setHeight(QFontMetrics(small).height())
        row.write(line, brief_facts(item, small, line.width()), small, "text3")

    def _paint_ring(self, row: Row) -> None:
        space = MARGIN - _RING
        box, radius = QRectF(row.area).adjusted(space, space, -space, -space), theme.current().metrics.radius
        if row.is_selected:
            rounded(row.painter, box, radius, fill="accent_soft", line="accent", width=2)
        elif row.has_focus:
            rounded(row.painter, box, radius, line="accent", width=2)
        elif row.is_hovered:
            rounded(row.painter, box, radius, fill="line2")

    def _paint_picture(self, row: Row, box: QRect, item: MediaItem) -> None:
        radius = theme.current().metrics.radius_card
        picture = self._thumbnails.of(item, row.painter.device().devicePixelRatio())
        rounded(row.painter, QRectF(box), radius, fill="sunken", line="line")
        if picture is None:
            icon = ICONS.get(item.file.kind, "image")
            draw_icon(row.painter, _middle(QRectF(box), 24), icon, "text3")
        else:
            row.picture(box, picture, radius)


def _paint_length(painter: QPainter, box: QRectF, milliseconds: int | None) -> None:
    """Paint a video's play icon, and its duration if known."""
    look = theme.current()
    painter.setFont(look.font("small", QFont.Weight.Medium))
    words = length(milliseconds) if milliseconds is not None else ""
    width = painter.fontMetrics().horizontalAdvance(words) + (4 if words else 0) + 10 + 12
    height = painter.fontMetrics().height() + 4
    pill = QRectF(box.right() - width - 5, box.bottom() - height - 5, width, height)
    ground, ink = ("surface", "text") if look.tokens.dark else ("tooltip", "on_tooltip")  # dark in both
    rounded(painter, pill, 4, fill=ground)
    draw_icon(painter, QRectF(pill.left() + 6, pill.center().y() - 5, 10, 10), "play", ink)
    painter.setPen(look.color(ink))
    painter.drawText(pill.adjusted(20, 0, -6, 0), Qt.AlignmentFlag.AlignVCenter, words)


def _middle(box: QRectF, edge: float) -> QRectF:
    middle = QRectF(0, 0, edge, edge)
    middle.moveCenter(box.center())
    return middle


def _picture_height(width: int) -> int:
    return round((width - 2 * MARGIN) * 3 / 4)


class MediaGrid(ListView):
    """Shows files as tiles or as rows with columns.

    Arrow keys move, Ctrl and Shift select several, Enter opens.
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
        """Return the selected files in the order shown."""
        rows = sorted(index.row() for index in self.selectedIndexes())
        return [item for row in rows if (item := self.files.item(row)) is not None]

    def current_item(self) -> MediaItem | None:
        """Return the current file if it's selected, otherwise the first selected one."""
        current = self.currentIndex()
        if current.isValid() and self.selectionModel().isSelected(current):
            return self.files.item(current.row())
        return next(iter(self.chosen_items()), None)

    def choose(self, paths: list[str]) -> None:
        """Select the visible ones of these files, and make the first one current."""
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
        """Whether files are shown as rows."""
        return self.itemDelegate() is self._rows

    def show_as(self, form: str) -> None:
        """Show files in one of ``model.FORMS``, keeping the selection in view."""
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
        """Handle Del; Qt handles Enter and the arrow keys."""
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
        """Divide the width among as many tiles as fit."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = self.viewport().width() - 1
        if self.is_list:
            self._set_size(self._rows, QSize(room, row_height()))
            return
        columns = columns_in(room)
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
