"""A heat map: a square for each row and column, darker for larger values."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QAccessible,
    QFocusEvent,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded
from app.desktop.widgets.screen_reader import spoken_as

Cell = tuple[int, int]
"""A row and a column."""

_SHADES: Final = ("data1", "data2", "data3", "text2", "text")
LEVELS: Final = len(_SHADES)
_OUTLINES: Final = 2
"""Highest level of an outline, so that it isn't taken for the ring of the best cell."""
_ROW_NAMES: Final = 38
_FROM_NAMES: Final = 6
_KEY: Final = 13
_OUTLINE: Final = 2
_STEPS: Final = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


@dataclass(frozen=True, slots=True)
class Cells:
    """The content of a heat map.

    Attributes:
        rows: Their names.
        columns: Their names; every second one is shown.
        levels: The level of each cell, 0 to 4; cells without one are empty.
        words: Returns the description of a cell.
        best: The cell with a ring, where keyboard navigation starts.
        unrated: Cells with too few values to be the best, painted as outlines.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    levels: Mapping[Cell, int]
    words: Callable[[int, int], str]
    best: Cell | None = None
    unrated: AbstractSet[Cell] = frozenset()


@spoken_as(QAccessible.Role.Chart)
class HeatMap(QWidget):
    """Arrow keys move between cells; the mouse shows a tooltip. A small dot marks an empty cell."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._cells: Cells | None = None
        self._asked: Cell | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)
        theme.follow(self.update)

    def sizeHint(self) -> QSize:
        return QSize(340, 170)

    def show_cells(self, cells: Cells) -> None:
        """Show these cells."""
        self._cells = cells
        self._ask(None)

    def spoken(self) -> str:
        """Return the description of the inspected cell for screen readers; empty if there's none."""
        return "" if self._cells is None or self._asked is None else self._cells.words(*self._asked)

    def event(self, event: QEvent) -> bool:
        """Show the description of the cell below the mouse."""
        if isinstance(event, QHelpEvent) and self._cells is not None:
            cell = self._cell_at(self._cells, QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), self._cells.words(*cell) if cell else "", self)
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._ask(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move between cells; the first key press goes to the best one."""
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None or self._cells is None:
            super().keyPressEvent(event)
            return
        row, column = self._cells.best or (0, 0)
        if self._asked is not None:
            row, column = self._asked[0] + step[0], self._asked[1] + step[1]
        last = len(self._cells.rows) - 1, len(self._cells.columns) - 1
        self._ask((min(max(row, 0), last[0]), min(max(column, 0), last[1])))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the names of columns and rows, and the cells."""
        if self._cells is None:
            return
        look, painter, cells = theme.current(), QPainter(self), self._cells
        painter.setFont(look.font("small"))
        painter.setPen(look.color("text3"))
        for column in range(0, len(cells.columns), 2):
            box = self._box(cells, -1, column).adjusted(-10, 0, 10, 0)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, cells.columns[column])
        left = self._box(cells, 0, 0).left() - _FROM_NAMES
        painter.setPen(look.color("text2"))
        side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        for row, name in enumerate(cells.rows):
            box = self._box(cells, row, 0)
            painter.drawText(QRectF(0, box.top(), left, box.height()), side, name)
        self._paint_cells(painter, cells)
        if self.hasFocus() and self._asked is None:
            rounded(painter, QRectF(self.rect()), look.metrics.radius, line="accent", width=2)

    def _paint_cells(self, painter: QPainter, cells: Cells) -> None:
        """Paint level by level, to set each brush once, then rings around the best and inspected cells."""
        by_level: defaultdict[tuple[int | None, bool], list[QRectF]] = defaultdict(list)
        first, below = self._box(cells, 0, 0), self._box(cells, 1, 0)
        size, down = first.adjusted(1, 1, -1, -1).size(), below.top() - first.top()
        lefts = [self._box(cells, 0, column).left() + 1 for column in range(len(cells.columns))]
        for row in range(len(cells.rows)):
            top = first.top() + 1 + row * down
            for column, left in enumerate(lefts):
                kind = cells.levels.get((row, column)), (row, column) in cells.unrated
                by_level[kind].append(QRectF(QPointF(left, top), size))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for (level, is_outline), boxes in by_level.items():
            color = theme.current().color("line_strong" if level is None else shade(level, is_outline))
            painter.setPen(QPen(color, _OUTLINE) if is_outline else Qt.PenStyle.NoPen)
            painter.setBrush(Qt.BrushStyle.NoBrush if is_outline else color)
            inset = _OUTLINE / 2 if is_outline else 0
            for box in boxes:
                if level is None:
                    painter.drawEllipse(box.center(), 1, 1)
                else:
                    painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), 3, 3)
        if cells.best is not None and cells.best != self._asked:
            self._ring(painter, self._box(cells, *cells.best), "text", 1.5)
        if self._asked is not None:
            self._ring(painter, self._box(cells, *self._asked), "accent", 2)

    @staticmethod
    def _ring(painter: QPainter, box: QRectF, line: str, width: float) -> None:
        rounded(painter, box.adjusted(-1, -1, 1, 1), 4, line=line, width=width)

    def _box(self, cells: Cells, row: int, column: int) -> QRectF:
        """Return the place of a cell; row -1 is for the names of columns."""
        look, count = theme.current(), len(cells.columns)
        left, top = round(_ROW_NAMES * look.scale), look.metrics.line
        width = (self.width() - left - 4) / count
        height = (self.height() - top - 2) / len(cells.rows)
        place = count - 1 - column if self.layoutDirection() is Qt.LayoutDirection.RightToLeft else column
        if row < 0:
            return QRectF(left + place * width, 0, width, top)
        return QRectF(left + place * width, top + row * height, width, height)

    def _cell_at(self, cells: Cells, point: QPointF) -> Cell | None:
        every = ((row, column) for row in range(len(cells.rows)) for column in range(len(cells.columns)))
        return next((cell for cell in every if self._box(cells, *cell).contains(point)), None)

    def _ask(self, cell: Cell | None) -> None:
        self._asked = cell
        self.setAccessibleDescription(self.spoken())
        self.update()


class HeatKey(QWidget):
    """The legend: an outline for too few values, then the shades from 0 to the maximum."""

    def __init__(self, unrated: str) -> None:
        super().__init__()
        self._unrated, self._most = unrated, ""
        theme.follow(self._fit)

    def show_most(self, words: str) -> None:
        """Set the maximum, the value of the darkest shade."""
        self._most = words
        self._fit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint an outline, and the shades with their numbers."""
        look, painter = theme.current(), QPainter(self)
        painter.setFont(look.font("small"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics, x, height = painter.fontMetrics(), 0.0, self.height()
        rounded(painter, QRectF(0, height / 2 - 5, _KEY, 10), 2, line=shade(1), width=_OUTLINE)
        x = _KEY + 4.0
        for words, gap in ((self._unrated, 14), ("0", 5)):
            painter.setPen(look.color("text3"))
            width = metrics.horizontalAdvance(words)
            painter.drawText(QRectF(x, 0, width + 2, height), Qt.AlignmentFlag.AlignVCenter, words)
            x += width + gap
        for level in range(LEVELS):
            rounded(painter, QRectF(x, height / 2 - 5, _KEY, 10), 2, fill=shade(level))
            x += _KEY + 2
        painter.setPen(look.color("text3"))
        end = QRectF(x + 4, 0, self.width() - x - 4, height)
        painter.drawText(end, Qt.AlignmentFlag.AlignVCenter, self._most)

    def _fit(self) -> None:
        metrics = QFontMetrics(theme.current().font("small"))
        words = sum(metrics.horizontalAdvance(word) + 2 for word in (self._unrated, self._most, "0"))
        self.setFixedSize(words + (_KEY + 2) * (LEVELS + 1) + 28, theme.current().metrics.line)
        self.update()


def level_of(value: float, most: float) -> int:
    """Return the level of a value between 0 and the maximum."""
    return min(LEVELS - 1, max(0, int(value / max(1.0, most) * LEVELS)))


def shade(level: int, is_outline: bool = False) -> str:
    """Return the colour of a level: from almost the background to ink, which outlines don't reach."""
    return theme.current().tokens.role(_SHADES[min(level, _OUTLINES) if is_outline else level])
