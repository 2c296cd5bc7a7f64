"""The rows of a table with the problems of each cell: the model and the grid."""

from collections.abc import Iterable, Sequence
from typing import Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QIcon, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QPlainTextEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.desktop.exchange.mapping_form import (
    COLUMN_NAMES,
    STATE_ICONS,
    STATE_NAMES,
    checked_state,
    column_title,
    issue_words,
)
from app.desktop.theme import icons, theme
from app.desktop.theme.theme import grow_icons
from app.desktop.widgets.painting import rounded
from app.desktop.widgets.screen_reader import TableView
from app.language import tr, trc
from app.workspace.exchange.csv_cells import Issue
from app.workspace.exchange.csv_checking import Checked
from app.workspace.exchange.csv_columns import Choices
from app.workspace.exchange.csv_import import BACK, RowResult
from app.workspace.exchange.csv_table import Table

Index = QModelIndex | QPersistentModelIndex
_ROLE: Final = Qt.ItemDataRole
_EMPTY = trc("a cell of a table", "Empty")
_LINE, _STATE, CELLS = 0, 1, 2
"""Columns: the line, the state, and from here on those of the table."""
_SHOWN_MAX: Final = 300
_WIDE, _USUAL, _LINE_NUMBER = 300, 104, 52
_MOST = 40
_ROW = 30
_LINES = 4
"""Height of the editor of several lines, in rows."""
_PADDING, _ICON = 24, 24


class RowsModel(QAbstractTableModel):
    """All rows, or only those with problems."""

    corrected = Signal(object, int, str)
    """A Record, the number of its cell, and what the cell shall say."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._header: Sequence[str] = ()
        self._meanings: dict[int, str] = {}
        self._rows: Sequence[Checked] = ()
        self._results: Sequence[RowResult] = ()
        self._shown: list[int] = []
        self._only_problems = False
        self._issues: dict[int, dict[int, list[Issue]]] = {}

    def show(self, table: Table, choices: Choices, rows: Sequence[Checked]) -> None:
        """Show the result of a check."""
        self.beginResetModel()
        self._header, self._rows, self._results = table.header, rows, ()
        self._meanings = {index: COLUMN_NAMES[column] for column, index in choices.columns.items()}
        self._issues = {
            number: _by_column(row.issues, choices) for number, row in enumerate(rows) if row.issues
        }
        self._select()
        self.endResetModel()

    def show_results(self, results: Sequence[RowResult]) -> None:
        """Show the result of each row."""
        self._results = results
        if self._shown:
            bottom = self.index(len(self._shown) - 1, _STATE)
            self.dataChanged.emit(self.index(0, _STATE), bottom)

    def show_only_problems(self, only: bool) -> None:
        """Set whether to hide rows without problems."""
        self.beginResetModel()
        self._only_problems = only
        self._select()
        self.endResetModel()

    def row(self, index: Index) -> Checked | None:
        """Return the row at an index."""
        return self._rows[self._shown[index.row()]] if index.isValid() else None

    def place_of(self, line: int, column: int) -> QModelIndex:
        """Return the index of a cell, by the line of its row; invalid if hidden."""
        rows = (place for place, number in enumerate(self._shown) if self._rows[number].record.line == line)
        found = next(rows, None)
        return QModelIndex() if found is None else self.index(found, column)

    def reason(self, index: Index) -> str:
        """Return why a row wasn't imported; empty if that doesn't apply."""
        return self._results[self._shown[index.row()]].reason if self._results and index.isValid() else ""

    def fix(self, index: Index) -> tuple[int, str] | None:
        """Return the column to fix in a row, and a suggested value; None without one.

        The current cell is preferred.
        """
        if not index.isValid() or self._results:
            return None
        found = self._issues.get(self._shown[index.row()], {})
        here = [(index.column(), found.get(index.column(), [])), *sorted(found.items())]
        return next(((column, one.fix) for column, issues in here for one in issues if one.fix), None)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return the flags: cells can be edited until they're imported."""
        flags = super().flags(index)
        can_edit = index.isValid() and index.column() >= CELLS and not self._results
        return flags | Qt.ItemFlag.ItemIsEditable if can_edit else flags

    def setData(self, index: Index, value: object, role: int = _ROLE.EditRole) -> bool:  # noqa: N802  Qt's
        """Correct a cell; the table is checked again."""
        row = self.row(index)
        if row is None or role != _ROLE.EditRole or index.column() < CELLS:
            return False
        number = index.column() - CELLS
        if row.record.cells[number] == value:
            return False
        self.corrected.emit(row.record, number, str(value))
        return True

    def next_problem(self, after: Index) -> QModelIndex:
        """Return the next cell with a problem, wrapping at the end; invalid if there is none."""
        places = [
            (place, column)
            for place, number in enumerate(self._shown)
            if self._is_problem(number)
            for column in sorted(
                column
                for column, issues in self._issues.get(number, {_STATE: []}).items()
                if not issues or any(issue.blocks for issue in issues)
            )
        ]
        here = (after.row(), after.column())
        following = next((place for place in places if place > here), places[0] if places else None)
        return self.index(*following) if following else QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's
        return 0 if parent.isValid() else CELLS + len(self._header)

    def headerData(  # noqa: N802  Qt's
        self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal or role != _ROLE.DisplayRole:
            return None
        if section < CELLS:
            return (tr("Line"), tr("State"))[section]
        number = section - CELLS
        meaning = self._meanings.get(number) or tr("Not used")
        return f"{meaning}\n{column_title(self._header[number], number)}"

    def titles(self) -> list[object]:
        """Return the titles of all columns."""
        horizontal = Qt.Orientation.Horizontal
        return [self.headerData(column, horizontal) for column in range(self.columnCount())]

    def data(self, index: Index, role: int = _ROLE.DisplayRole) -> object:
        """Return a cell's content, and its problems."""
        number, column = self._shown[index.row()], index.column()
        issues = self._issues.get(number, {}).get(column, [])
        match role:
            case _ROLE.EditRole if column >= CELLS:
                return self._rows[number].record.cells[column - CELLS]
            case _ROLE.DisplayRole:
                return self._text(number, column)
            case _ROLE.AccessibleTextRole:
                return ". ".join((self._text(number, column) or _EMPTY, *map(issue_words, issues)))
            case _ROLE.ToolTipRole:
                told = [issue.text for issue in issues] or [self.reason(index)] * (column == _STATE)
                said = [*([self._text(number, column)] if column >= CELLS else []), *told]
                return "\n".join(said) if any(said) else None
            case _ROLE.BackgroundRole if issues:
                return _color(issues, "soft")
            case _ROLE.ForegroundRole:
                return self._foreground(column, issues)
            case _ROLE.DecorationRole if column == _STATE:
                return self._icon(number)
        return None

    def _text(self, number: int, column: int) -> str:
        row = self._rows[number]
        if column == _LINE:
            return f"{row.record.line}"
        if column == _STATE:
            return STATE_NAMES[self._results[number].state] if self._results else checked_state(row)[0]
        shown = " ".join(row.record.cells[column - CELLS][:_SHOWN_MAX].split())
        return shown or (tr("Required") if self._issues.get(number, {}).get(column) else "")

    def _foreground(self, column: int, issues: Sequence[Issue]) -> QColor:
        if issues:
            return _color(issues, "")
        quiet = column == _LINE or (column >= CELLS and column - CELLS not in self._meanings)
        return theme.current().color("text3" if quiet else "text")

    def _icon(self, number: int) -> QIcon:
        if self._results:
            return icons.icon(*STATE_ICONS[self._results[number].state])
        _words, name, color = checked_state(self._rows[number])
        return icons.icon(name, color)

    def _select(self) -> None:
        numbers = range(len(self._rows))
        self._shown = [number for number in numbers if not self._only_problems or self._is_problem(number)]

    def _is_problem(self, number: int) -> bool:
        return self._results[number].state in BACK if self._results else self._rows[number].blocked


def _by_column(issues: Sequence[Issue], choices: Choices) -> dict[int, list[Issue]]:
    """Return issues by column; those of columns missing from the table belong to the state column."""
    found: dict[int, list[Issue]] = {}
    for issue in issues:
        index = choices.columns.get(issue.column) if issue.column else None
        found.setdefault(_STATE if index is None else CELLS + index, []).append(issue)
    return found


def _color(issues: Sequence[Issue], kind: str) -> QColor:
    role = "bad" if any(issue.blocks for issue in issues) else "warn"
    return theme.current().color(f"{role}_{kind}" if kind else role)


class RowsGrid(TableView):
    """Arrow keys move between cells; Enter, F2 or typing edits one. F8 goes to the next problem."""

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
        grow_icons(self)
        theme.follow(self._restyle)

    def fit(self) -> None:
        """Make each column as wide as its title and first rows, within limits, at the current text size."""
        look = theme.current()
        self.verticalHeader().setDefaultSectionSize(look.grown(_ROW))
        self.setColumnWidth(0, max(look.grown(_LINE_NUMBER), self._needed(0)))
        self.setColumnWidth(1, self._needed(1, STATE_NAMES.values()) + look.grown(_ICON))
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
        """Move to the next cell with a problem."""
        found = self.rows.next_problem(self.currentIndex())
        if found.isValid():
            self.setFocus()  # first, or a screen reader only announces the grid
            self.setCurrentIndex(found)

    def place(self) -> tuple[int, int, int]:
        """The line and column of the current cell, and the scroll position."""
        index = self.currentIndex()
        row = self.rows.row(index)
        return (row.record.line if row else -1), index.column(), self.verticalScrollBar().value()

    def go_back(self, place: tuple[int, int, int]) -> None:
        """Return to a cell, which may have moved to another row."""
        line, column, scrolled = place
        self.verticalScrollBar().setValue(scrolled)
        found = self.rows.place_of(line, column)
        if found.isValid():
            self.setCurrentIndex(found)

    def sizeHint(self) -> QSize:
        """Return a size that fills the window."""
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
        theme.set_font(self, theme.current().font("card"))
        self.fit()
        self.viewport().update()


class _Cell(QStyledItemDelegate):
    """Paints a ring around the current cell, keeping its colours, which show problems."""

    def createEditor(  # noqa: N802  Qt's
        self, parent: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> QWidget:
        """Return a line editor; a multi-line one, ended by Tab, for cells with several lines."""
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
