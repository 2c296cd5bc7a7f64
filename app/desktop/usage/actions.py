"""The list of counted actions: a row each, with bars on a common axis."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QStyle,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.desktop.charts.paint import draw_bar
from app.desktop.charts.scale import round_ticks
from app.desktop.kit.row_delegate import LEADING, TRAILING, Index, Row, RowDelegate
from app.desktop.theme import theme
from app.desktop.usage.wording import ActionRow
from app.desktop.widgets import RowList
from app.desktop.widgets.painting import rounded
from app.language import number, tr

ROW: Final = Qt.ItemDataRole.UserRole
"""The ActionRow."""
_INSET: Final = 16
_BAR: Final = 8
_ICON: Final = 14
_APART: Final = 5
"""Above and below the line between two areas."""
_LEAST_BAR: Final = 40
_MEDIUM: Final = QFont.Weight.Medium
_LIMIT: Final = tr("limit")


class ActionsModel(QAbstractListModel):
    """Rows by area. ``ticks`` are the numbers on the axis."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[ActionRow] = []
        self.ticks = round_ticks(0)

    def show(self, rows: list[ActionRow]) -> None:
        """Set the rows."""
        if rows != self.rows:
            self.beginResetModel()
            self.rows = rows
            self.ticks = round_ticks(max((row.count for row in rows), default=0))
            self.endResetModel()

    @property
    def tells_limits(self) -> bool:
        """Whether the service has limits."""
        return any(row.pace for row in self.rows)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's signature
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the row, or its description."""
        row = self.rows[index.row()]
        if role == ROW:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.action
        return row.spoken if role == Qt.ItemDataRole.AccessibleTextRole else None


class Columns:
    """The positions in a row of a width, at the current text size."""

    def __init__(self, width: int, rows: Sequence[ActionRow]) -> None:
        scale = theme.current().scale
        is_wide = width >= 620 * scale
        words, bold = QFontMetrics(theme.current().font("clock")), theme.current().font("clock", _MEDIUM)
        sign = theme.current().grown(_ICON) + 8
        areas = _widest(QFontMetrics(bold), (row.area for row in rows)) + sign + _INSET
        names = _widest(words, (row.name for row in rows)) + _INSET
        paces = _widest(words, (row.pace for row in rows))
        self.count_width = _widest(QFontMetrics(bold), (number(row.count) for row in rows)) + 8
        self.area = max(areas + 8, round((118 if is_wide else 96) * scale))
        self.name = self.area + max(names, round(142 * scale) if is_wide else 0)
        self.end = width - _INSET
        self.pace = self.end - (max(paces, round(118 * scale) if is_wide else 0) + 6 if paces else 0)
        self.count = self.pace - (14 if paces else 0)
        self.bar = self.name + _INSET
        self.bar_width = self.count - self.count_width - self.bar

    @property
    def has_bars(self) -> bool:
        """Whether bars have enough space to be useful."""
        return self.bar_width >= _LEAST_BAR


class ActionDelegate(RowDelegate):
    """Paints area, name, bar, number, and the service's limit."""

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        row: ActionRow = index.data(ROW)
        return QSize(300, round(24 * theme.current().scale) + (_head(index.row()) if row.is_first else 0))

    def paint_row(self, row: Row, index: Index) -> None:
        """Paint a row."""
        action: ActionRow = index.data(ROW)
        model = index.model()
        if not isinstance(model, ActionsModel):
            return
        head = _head(index.row()) if action.is_first else 0
        if row.has_focus:
            ring = QRectF(row.area).adjusted(6, head, -6, 0)
            rounded(row.painter, ring, 5, line="accent", width=2)
        _Line(row, Columns(row.area.width(), model.rows), head).paint(action, model.ticks)


class _Line:
    """A row being painted; ``head`` is the space above the text, with the line between two areas."""

    def __init__(self, row: Row, columns: Columns, head: int) -> None:
        self._row, self._at, self._head = row, columns, head
        self._area = row.area.adjusted(0, head, 0, 0)

    def paint(self, action: ActionRow, ticks: list[int]) -> None:
        row, at = self._row, self._at
        for tick in ticks if at.has_bars else ():
            x = at.bar + round(at.bar_width * tick / ticks[-1])
            row.fill(self._box(x, 1, -self._head, row.area.height()), "line2" if tick else "line")
        if self._head > _APART:
            row.fill(self._box(_INSET, at.end - _INSET, -_APART - 1, 1), "line2")
        if action.is_first:
            edge = theme.current().grown(_ICON)
            row.icon(self._box(_INSET, edge), action.icon, "text2")
            self._write(_INSET + edge + 8, at.area - _INSET - edge - 2, action.area, "text", _MEDIUM)
        self._write(at.area + _INSET, at.name - at.area - _INSET, action.name, "text2")
        self._paint_bar(action, ticks)
        ink = "warn" if action.is_low else "text"
        self._write(at.count - at.count_width, at.count_width, number(action.count), ink, _MEDIUM, TRAILING)
        self._write(at.pace, at.end - at.pace, action.pace, "warn" if action.is_low else "text3")

    def _paint_bar(self, action: ActionRow, ticks: list[int]) -> None:
        if action.count <= 0 or not self._at.has_bars:
            return
        row, top = self._row, (self._area.height() - _BAR) // 2
        track = QRectF(row.place(self._box(self._at.bar, self._at.bar_width, top, _BAR)))
        color, share = "warn" if action.is_low else "data3", action.count / ticks[-1]
        draw_bar(row.painter, track, share, color, radius=2, least=2, direction=row.direction)

    def _write(
        self,
        x: int,
        width: int,
        text: str,
        ink: str,
        weight: QFont.Weight | None = None,
        side: Qt.AlignmentFlag = LEADING,
    ) -> None:
        self._row.write(self._box(x, width), text, theme.current().font("clock", weight), ink, side=side)

    def _box(self, x: int, width: int, top: int = 0, height: int = 0) -> QRect:
        area = self._area
        return QRect(area.left() + x, area.top() + top, width, height or area.height())


class ActionsAxis(QWidget):
    """The axis above the bars of ``view``."""

    def __init__(self, model: ActionsModel, view: RowList) -> None:
        super().__init__()
        self._model, self._view = model, view
        model.modelReset.connect(self.update)
        theme.follow(self._fit)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the numbers above their grid lines."""
        look, at, painter = theme.current(), self.columns(), QPainter(self)
        painter.setFont(look.font("small"))
        painter.setPen(look.color("text3"))
        ticks = self._model.ticks
        for tick in self._shown(ticks, at.bar_width) if at.has_bars else ():
            x = at.bar + round(at.bar_width * tick / ticks[-1])
            self._write(painter, QRect(x - 100, 0, 200, self.height()), number(tick))
        if self._model.tells_limits:
            width = QFontMetrics(painter.font()).horizontalAdvance(_LIMIT)
            self._write(painter, QRect(at.pace, 0, width, self.height()), _LIMIT)
        line = QRect(_INSET, self.height() - 1, at.end - _INSET, 1)
        painter.fillRect(QStyle.visualRect(self.layoutDirection(), self.rect(), line), look.color("line"))

    def columns(self) -> Columns:
        """Return the columns of the rows below."""
        return Columns(self._view.viewport().width(), self._model.rows)

    @staticmethod
    def _shown(ticks: list[int], width: int) -> list[int]:
        """Return all numbers, every second, or only the first and last: as many as fit."""
        widest = QFontMetrics(theme.current().font("small")).horizontalAdvance(number(ticks[-1])) + 10
        steps = max(1, len(ticks) - 1)
        every = next((step for step in (1, 2) if widest < width * step / steps), steps)
        return ticks[::every]

    def _write(self, painter: QPainter, box: QRect, words: str) -> None:
        place = QStyle.visualRect(self.layoutDirection(), self.rect(), box)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)

    def _fit(self) -> None:
        self.setFixedHeight(QFontMetrics(theme.current().font("small")).height() + 8)


class ActionsList(QWidget):
    """Axis and rows, as high as all of them: the pane scrolls, and a bar in a bar would be hard to use."""

    reached = Signal(QRect)
    """The area of the row that the arrow keys led to."""

    def __init__(self, model: ActionsModel) -> None:
        super().__init__()
        self.view = RowList(model, tr("Actions counted in this period"))
        self.view.setItemDelegate(ActionDelegate(self.view))
        self.view.setUniformItemSizes(False)  # the first of an area stands apart from what is above it
        self.view.setSelectionMode(RowList.SelectionMode.NoSelection)
        self.view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.selectionModel().currentChanged.connect(self._tell_reached)
        model.modelReset.connect(self._fit)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(ActionsAxis(model, self.view))
        column.addWidget(self.view, 1)
        theme.follow(self._fit)

    def _fit(self) -> None:
        model = self.view.model()
        rows = sum(self.view.sizeHintForRow(row) for row in range(model.rowCount()))
        self.view.setMinimumHeight(rows)

    def _tell_reached(self, current: Index) -> None:
        place = self.view.visualRect(current)
        self.reached.emit(place.translated(self.view.viewport().mapTo(self, QPoint())))


def _head(place: int) -> int:
    """Return the space above the first row of an area; the first area has no line above it."""
    return 2 * _APART + 1 if place else _APART


def _widest(metrics: QFontMetrics, texts: Iterable[str]) -> int:
    return max((metrics.horizontalAdvance(text) + 2 for text in texts if text), default=0)
