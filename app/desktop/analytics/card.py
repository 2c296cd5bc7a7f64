"""A card with a chart, and a table of the same numbers for the keyboard and screen readers."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QImage, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QSizePolicy,
    QStackedWidget,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from app.desktop.theme import theme
from app.desktop.widgets import ElidedLabel, IconButton, Label, Panel
from app.desktop.widgets.painting import insets
from app.desktop.widgets.screen_reader import TableView
from app.language import tr

Index = QModelIndex | QPersistentModelIndex
Cell = Callable[[int, int], str]

_INSET: Final = 14
_PADDING: Final = 10
"""Space between the edge of a column and its text, in px; the same as in the header's style."""
_LOOKED_AT: Final = 30
_LEAST: Final = 52
_RIGHT: Final = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
_LEFT: Final = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
_CARD_INSET: Final = 16
_FINE: Final = 2


class FigureModel(QAbstractTableModel):
    """Formats cells when they are read. The first column names the row."""

    def __init__(self) -> None:
        super().__init__()
        self._header: Sequence[str] = ()
        self._count = 0
        self._cell: Cell = lambda _row, _column: ""

    def show_cells(self, header: Sequence[str], count: int, cell: Cell) -> None:
        """Set the cells."""
        self.beginResetModel()
        self._header, self._count, self._cell = header, count, cell
        self.endResetModel()

    def rows(self) -> list[tuple[str, ...]]:
        """Return every row as text."""
        columns = range(len(self._header))
        return [tuple(self._cell(row, column) for column in columns) for row in range(self._count)]

    @property
    def header(self) -> Sequence[str]:
        """The names of the columns."""
        return self._header

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's signature
        return 0 if parent.isValid() else self._count

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's signature
        return 0 if parent.isValid() else len(self._header)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text of a cell."""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if index.column() else _LEFT
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cell(index.row(), index.column())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            named = f"{self._cell(index.row(), 0)}, {self._header[index.column()]}: "
            return (named if index.column() else "") + self._cell(index.row(), index.column())
        return None

    def headerData(  # noqa: N802  Qt's
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the name of a column."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._header[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section else _LEFT
        return None


class PlainTable(TableView):
    """A table in the app's style: without grid, row numbers and frame. Arrow keys move between cells."""

    def __init__(self, name: str, model: QAbstractTableModel | None = None) -> None:
        super().__init__()
        self.setModel(model)
        self.setAccessibleName(name)
        self.setProperty("bare", True)
        self.setWordWrap(False)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setProperty("bare", True)
        head.setMinimumSectionSize(40)
        theme.follow(self._restyle)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            event.ignore()
            return
        super().keyPressEvent(event)

    def _restyle(self) -> None:
        look = theme.current()
        theme.set_font(self, look.font("clock"))
        theme.set_font(self.horizontalHeader(), look.font("card"))
        self.verticalHeader().setDefaultSectionSize(look.metrics.line + 10)
        self.setStyleSheet(f"QTableView::item {{ padding: 0 {self._cell_padding}px; }}")
        self.viewport().update()

    @property
    def _cell_padding(self) -> int:
        """The padding that puts the text of cells below the text of the header, in px."""
        return _PADDING


class FigureTable(PlainTable):
    """The numbers of a chart; the rows are only laid out once the table is shown."""

    def __init__(self, name: str) -> None:
        self.figures = FigureModel()
        super().__init__(name)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.figures.modelReset.connect(self._fit)

    def showEvent(self, event: QShowEvent) -> None:
        if self.model() is None:
            self.setModel(self.figures)
        super().showEvent(event)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Make columns as wide as their names and the first rows need, and wider if there's space."""
        header = self.figures.header
        if not header or not self.isVisible():
            return
        widths = [self._needed(column) for column in range(len(header))]
        spare = self.viewport().width() - sum(widths)
        more = max(0, spare) // max(1, len(widths) - 1)
        for column, width in enumerate(widths):
            self.setColumnWidth(column, max(_LEAST, width + more) if column else width)

    @property
    def _cell_padding(self) -> int:
        # The style adds this margin to a cell's text, but not to a header's.
        return _PADDING - self.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) - 1

    def _needed(self, column: int) -> int:
        rows = range(min(_LOOKED_AT, self.figures.rowCount()))
        cells = (str(self.figures.index(row, column).data()) for row in rows)
        name = self.horizontalHeader().fontMetrics().horizontalAdvance(self.figures.header[column])
        return max(name, *map(self.fontMetrics().horizontalAdvance, cells), 0) + 2 * _INSET


class ChartCard(Panel):
    """A card with a chart and its table; ``head`` takes widgets between the title and the switch."""

    def __init__(self, title: str, chart: QWidget) -> None:
        super().__init__()
        self.title, self.note = Label(title, "strong"), ElidedLabel("", "card", "text3")
        self.table = FigureTable(title)
        self.switch = IconButton("list", tr("{title} as a table", title=title), size="small", checkable=True)
        self._stack = QStackedWidget()
        self._stack.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self._stack.addWidget(chart)
        beside = QWidget()
        room = QHBoxLayout(beside)
        room.setContentsMargins(insets(_CARD_INSET - _PADDING, 0, 0, 0))
        room.addWidget(self.table)
        self._stack.addWidget(beside)
        self.switch.toggled.connect(self.show_table)
        self.setAccessibleName(title)
        self.head = QHBoxLayout()
        self.head.setContentsMargins(insets(_CARD_INSET, 0, 8, 0))
        self.head.setSpacing(8)
        self.head.addWidget(self.title)
        self.head.addWidget(self.note, 1)
        self.head.addWidget(self.switch)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(1, 8, 1, 8)
        self.column.setSpacing(4)
        self.column.addLayout(self.head)
        self.column.addWidget(self._stack, 1)

    def show_table(self, shows: bool = True) -> None:
        """Show the table, or the chart again."""
        self.switch.setChecked(shows)
        self._stack.setCurrentIndex(int(shows))

    def set_title(self, words: str) -> None:
        """Set the title of the card, its table and its switch."""
        if words == self.title.text():
            return
        self.title.setText(words)
        self.setAccessibleName(words)
        self.table.setAccessibleName(words)
        self.switch.set_name(tr("{title} as a table", title=words))

    def picture(self) -> QImage:
        """Return the card as it looks now, at double resolution."""
        picture = QImage(self.size() * _FINE, QImage.Format.Format_ARGB32)
        picture.setDevicePixelRatio(_FINE)
        picture.fill(0)
        self.render(picture)
        return picture
