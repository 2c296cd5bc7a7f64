"""A grid of emoji, one of which is current."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.desktop.emoji.catalogue import Emoji
from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded
from app.desktop.widgets.screen_reader import ListView, announce_focus
from app.language import tr

COLUMNS = 9
_CELL = 38
_ROWS = 6.5
"""The half row hints that there are more below."""
_NO_PARENT = QModelIndex()
_Index = QModelIndex | QPersistentModelIndex


class EmojiModel(QAbstractListModel):
    """All emoji in one grid."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.emoji: Sequence[Emoji] = ()

    def show_emoji(self, emoji: Sequence[Emoji]) -> None:
        """Replace the emoji."""
        self.beginResetModel()
        self.emoji = emoji
        self.endResetModel()

    def rowCount(self, parent: _Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.emoji)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the sequence, or its name for screen readers and the tooltip."""
        if not index.isValid():
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.emoji[index.row()].text
            case Qt.ItemDataRole.AccessibleTextRole | Qt.ItemDataRole.ToolTipRole:
                return self.emoji[index.row()].name
        return None


class EmojiGrid(ListView):
    """Never takes the focus: the arrow keys of the search field move through it."""

    walked = Signal(object)
    """The Emoji that is current, or None."""
    chosen = Signal(object, bool)
    """The Emoji that was clicked or selected with Enter, and whether Shift was held."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = EmojiModel(self)
        self.setModel(self._model)
        self.setItemDelegate(_Painter(self))
        self._set_up()
        self.entered.connect(lambda index: self._go_to(index.row()))
        self.clicked.connect(self._choose_clicked)
        theme.follow(self._restyle)

    @property
    def emoji(self) -> Sequence[Emoji]:
        """The shown emoji."""
        return self._model.emoji

    @property
    def current(self) -> Emoji | None:
        """The emoji that Enter selects."""
        index = self.currentIndex()
        return self.emoji[index.row()] if index.isValid() else None

    def show_emoji(self, emoji: Sequence[Emoji]) -> None:
        """Replace the emoji; the first one becomes current."""
        self._model.show_emoji(emoji)
        self.scrollToTop()
        self._go_to(0)

    def walk(self, key: Qt.Key) -> None:
        """Move by one with the arrow keys; Up and Down keep the column."""
        forward = 1 if self.layoutDirection() is not Qt.LayoutDirection.RightToLeft else -1
        steps = {
            Qt.Key.Key_Left: -forward,
            Qt.Key.Key_Right: forward,
            Qt.Key.Key_Up: -COLUMNS,
            Qt.Key.Key_Down: COLUMNS,
            Qt.Key.Key_PageUp: -COLUMNS * int(_ROWS),
            Qt.Key.Key_PageDown: COLUMNS * int(_ROWS),
        }
        row, last = self.currentIndex().row() + steps[key], len(self.emoji) - 1
        if abs(steps[key]) > 1 and not 0 <= row <= last:
            row = self._edge(row, last)
        self._go_to(max(0, min(row, last)))

    def choose(self, *, stay: bool = False) -> None:
        """Select the current one; ``stay``: more will follow."""
        if self.current is not None:
            self.chosen.emit(self.current, stay)

    def sizeHint(self) -> QSize:
        cell, bar = self.gridSize(), self.verticalScrollBar().sizeHint().width()
        return QSize(COLUMNS * cell.width() + bar + 1, round(_ROWS * cell.height()))

    def _choose_clicked(self) -> None:
        held = QGuiApplication.keyboardModifiers()
        self.choose(stay=bool(held & Qt.KeyboardModifier.ShiftModifier))

    def _edge(self, row: int, last: int) -> int:
        """Return where a step beyond the first or last row ends: in its column, or on the last emoji."""
        column = self.currentIndex().row() % COLUMNS
        if row < 0:
            return column
        in_last_row = last - last % COLUMNS + column
        return min(in_last_row, last)

    def _go_to(self, row: int) -> None:
        found = 0 <= row < len(self.emoji)
        self.setCurrentIndex(self._model.index(row) if found else QModelIndex())
        if found:
            announce_focus(self, row)
        self.walked.emit(self.current)

    def _set_up(self) -> None:
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # keeps the number of columns
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setStyleSheet("QListView { background: transparent; }")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Emoji"))

    def _restyle(self) -> None:
        edge = round(_CELL * theme.current().scale)
        self.setGridSize(QSize(edge, edge))
        self.setFixedSize(self.sizeHint())


class _Painter(QStyledItemDelegate):
    def __init__(self, grid: EmojiGrid) -> None:
        super().__init__(grid)
        self._grid = grid

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return self._grid.gridSize()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        look = theme.current()
        if state & QStyle.StateFlag.State_Selected:
            cell = QRectF(area).adjusted(1, 1, -1, -1)
            rounded(painter, cell, look.metrics.radius, fill="accent_soft", line="accent", width=2)
        painter.setFont(look.font("emoji"))
        painter.setPen(look.color("text"))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, index.data())
