"""The list of results: the arrows of the line above walk it, and it tells screen readers where they are."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QListView, QWidget

from app.desktop.palette.row_painter import ROW_ROLE, RowPainter
from app.desktop.palette.rows import Entry, Heading, Row
from app.desktop.theme import theme
from app.desktop.widgets.access import announce_focus
from app.desktop.widgets.item_view import ListView
from app.language import tr

_NO_PARENT = QModelIndex()
Index = QModelIndex | QPersistentModelIndex


class RowModel(QAbstractListModel):
    """Rows, all at once."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows: Sequence[Row] = ()

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Shows other rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The row itself, its title, and the whole line in words."""
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row = self.rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.said.words if isinstance(row, Entry) else f"{row.title}, {row.count}".rstrip(", ")
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Headings and what cannot be done now cannot be chosen."""
        row = self.rows[index.row()] if index.isValid() else None
        if isinstance(row, Entry) and row.enabled:
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return Qt.ItemFlag.ItemNeverHasChildren


class ResultList(ListView):
    """Shows rows and keeps one entry current. Never takes the focus."""

    chosen = Signal(object)
    """The entry that was clicked or asked for with Enter."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = RowModel(self)
        self.setModel(self._rows)
        self.setItemDelegate(RowPainter(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)
        # Every pixel is painted here: without saying so all that lies below is painted too, at each key.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName(tr("Results"))

    @property
    def rows(self) -> Sequence[Row]:
        """What is shown."""
        return self._rows.rows

    @property
    def current(self) -> Entry | None:
        """The entry that Enter means."""
        index = self.currentIndex()
        row = self.rows[index.row()] if index.isValid() else None
        return row if isinstance(row, Entry) else None

    def show_rows(self, rows: Sequence[Row], *, keep: bool = False) -> None:
        """Shows other rows; the first entry is current, or with ``keep`` the one that was."""
        kept = self.current.key if keep and self.current else ""
        offset = self.verticalScrollBar().value() if keep else 0
        self._rows.show_rows(rows)
        keys = [row.key if isinstance(row, Entry) else None for row in rows]
        self._go_to(keys.index(kept) if kept in keys else self._first())
        self.verticalScrollBar().setValue(offset)

    def walk(self, steps: int) -> None:
        """Goes so many entries down; at an end it begins anew at the other one."""
        places = self._places()
        if not places:
            return
        row = self.currentIndex().row()
        at = places.index(row) if row in places else -1
        is_page = abs(steps) > 1
        following = max(0, min(at + steps, len(places) - 1)) if is_page else (at + steps) % len(places)
        self._go_to(places[following])
        if following == 0:
            self.scrollToTop()

    def choose(self) -> None:
        """Chooses the current entry."""
        if self.current is not None:
            self.chosen.emit(self.current)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the ground, then the rows."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), theme.current().color("raised"))
        painter.end()
        super().paintEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Makes the entry below the pointer current."""
        if (row := self._at(event.position().toPoint())) is not None:
            self._go_to(row)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Chooses the entry that was pressed."""
        if event.button() is Qt.MouseButton.LeftButton:
            row = self._at(event.position().toPoint())
            if row is not None and row == self.currentIndex().row():
                self.choose()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Nothing more than the click before it."""

    def _at(self, point: QPoint) -> int | None:
        index = self.indexAt(point)
        return index.row() if index.isValid() and index.row() in self._places() else None

    def _places(self) -> list[int]:
        return [at for at, row in enumerate(self.rows) if not isinstance(row, Heading) and row.enabled]

    def _first(self) -> int:
        return next(iter(self._places()), -1)

    def _go_to(self, row: int) -> None:
        self.setCurrentIndex(self._rows.index(row) if row >= 0 else QModelIndex())
        if row >= 0:
            announce_focus(self, row)
