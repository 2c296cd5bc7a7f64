"""The grid of a table's rows."""

from collections.abc import Iterable

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QPlainTextEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.desktop.exchange.rows_model import CELLS, Index, RowsModel
from app.desktop.exchange.wording import STATE_NAMES
from app.desktop.theme import theme
from app.desktop.widgets.item_view import TableView
from app.desktop.widgets.painting import rounded
from app.language import tr

_WIDE, _USUAL, _LINE_NUMBER = 300, 104, 52
_MOST = 40
_ROW = 30
_LINES = 4
"""Height of the editor of several lines, in rows."""
_PADDING, _ICON = 24, 24


class RowsGrid(TableView):
    """Cells are walked with the arrows; Enter, F2 or a letter corrects one. F8 goes to the next problem."""

    currentMoved = Signal(object)  # noqa: N815  a signal like Qt's
    """The model index that the keyboard is at."""

    def __init__(self, model: RowsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = model
        self.setModel(model)
        self.setItemDelegate(_Cell(self))
        self.setAccessibleName(tr("Rows of the table"))
        self.setProperty("bare", True)
        self.setWordWrap(False)
        self.setShowGrid(True)
        self.setTabKeyNavigation(False)
        trigger = QAbstractItemView.EditTrigger
        self.setEditTriggers(trigger.DoubleClicked | trigger.EditKeyPressed | trigger.AnyKeyPressed)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(_ROW)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head = self.horizontalHeader()
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter)
        head.setHighlightSections(False)
        head.setSectionsClickable(False)
        head.setStretchLastSection(True)
        head.setProperty("bare", True)
        theme.follow(self._restyle)

    def fit(self) -> None:
        """Make each column as wide as its title and first rows, within limits, at the text size in use."""
        look = theme.current()
        self.verticalHeader().setDefaultSectionSize(look.grown(_ROW))
        self.setColumnWidth(0, max(look.grown(_LINE_NUMBER), self._needed(0)))
        self.setColumnWidth(1, self._needed(1, STATE_NAMES.values()) + _ICON)
        for column in range(CELLS, self.rows.columnCount()):
            most, least = look.grown(_WIDE), look.grown(_USUAL)
            self.setColumnWidth(column, max(least, min(most, self._needed(column))))

    def _needed(self, column: int, others: Iterable[str] = ()) -> int:
        """Return the width of a column's title and first rows, and of other texts, in px."""
        title = str(self.rows.headerData(column, Qt.Orientation.Horizontal)).splitlines()
        rows = range(min(_MOST, self.rows.rowCount()))
        cells = [str(self.rows.index(row, column).data() or "") for row in rows]
        metrics = QFontMetrics(theme.current().font("card"))
        return max(map(metrics.horizontalAdvance, (*title, *cells, *others))) + _PADDING

    def go_to_next_problem(self) -> None:
        """Puts the keyboard onto the next cell with a problem."""
        found = self.rows.next_problem(self.currentIndex())
        if found.isValid():
            self.setFocus()  # first, or a screen reader only announces the grid
            self.setCurrentIndex(found)

    def place(self) -> tuple[int, int, int]:
        """The line and the column that the keyboard is at, and how far the rows are scrolled."""
        index = self.currentIndex()
        row = self.rows.row(index)
        return (row.record.line if row else -1), index.column(), self.verticalScrollBar().value()

    def go_back(self, place: tuple[int, int, int]) -> None:
        """Goes to a cell that is still there, though its row may be elsewhere now."""
        line, column, scrolled = place
        self.verticalScrollBar().setValue(scrolled)
        found = self.rows.place_of(line, column)
        if found.isValid():
            self.setCurrentIndex(found)

    def sizeHint(self) -> QSize:
        """As much as the window has."""
        return QSize(760, 4_000)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_F8:
            self.go_to_next_problem()
            return
        if event.key() == Qt.Key.Key_Escape:
            event.ignore()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            is_editing = self.state() is QAbstractItemView.State.EditingState  # its Enter comes here as well
            if not is_editing and self.rows.flags(self.currentIndex()) & Qt.ItemFlag.ItemIsEditable:
                self.edit(self.currentIndex())
            return
        super().keyPressEvent(event)

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        self.currentMoved.emit(current)

    def _restyle(self) -> None:
        line = theme.current().color("line2").name()
        self.setStyleSheet(
            f"QTableView {{ gridline-color: {line}; }} QTableView::item {{ padding: 0 8px; }}"
            "QAbstractScrollArea::corner { background: transparent; border: none; }"
        )
        self.setFont(theme.current().font("card"))
        self.fit()
        self.viewport().update()


class _Cell(QStyledItemDelegate):
    """A ring around the cell that the keyboard is at; its colours stay, since they say what is wrong."""

    def createEditor(  # noqa: N802  Qt's
        self, parent: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> QWidget:
        """A line; several where the cell has several: those end with Tab, since Enter begins one."""
        text = str(index.data(Qt.ItemDataRole.EditRole) or "")
        if "\n" not in text:
            editor = super().createEditor(parent, option, index)
        else:
            editor = QPlainTextEdit(parent)
            editor.setTabChangesFocus(True)
        editor.setAccessibleName(str(index.model().headerData(index.column(), Qt.Orientation.Horizontal)))
        return editor

    def updateEditorGeometry(  # noqa: N802  Qt's
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        super().updateEditorGeometry(editor, option, index)
        if isinstance(editor, QPlainTextEdit):
            editor.resize(editor.width(), _LINES * option.rect.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        option.state &= ~(QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_HasFocus)
        super().paint(painter, option, index)
        if is_chosen:
            ring = QRectF(option.rect).adjusted(1, 1, -1, -1)
            rounded(painter, ring, 3, line="accent", width=2)
