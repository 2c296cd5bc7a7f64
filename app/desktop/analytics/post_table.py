"""Posts in a table: of any number, each formatted when it's shown."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from app.desktop.analytics.card import PlainTable
from app.desktop.analytics.wording import NAMES, headline, number, published
from app.desktop.charts.paint import draw_bar
from app.desktop.theme import theme
from app.desktop.theme.icons import platform_icon
from app.desktop.widgets.painting import draw_icon, rounded
from app.desktop.words import platform_name
from app.language import tr
from app.workspace.analytics.dataset import COUNTED, Dataset, Figure, Item

Index = QModelIndex | QPersistentModelIndex

POST, PUBLISHED, BAR, FIRST = 0, 1, 2, 3
PLACE: Final = Qt.ItemDataRole.UserRole
"""The place of the item in the dataset."""
_HEADER: Final = (tr("Post"), tr("Published"), "", *(NAMES[figure] for figure in COUNTED))
_RIGHT: Final = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
_LEFT: Final = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
_BAR_HEIGHT: Final = 6
_INSET: Final = 10
_FIRST_INSET: Final = 16
"""Inset of the first column, equal to that of the card's header."""
_GLYPH: Final = 12
_EDGE: Final = 3
_BAR_SHARE: Final = 0.3
"""The bar's share of the width that figures and time leave for text and bar."""
_UTC: Final = ZoneInfo("UTC")
_EVERY_NAME: Final = tuple((month, day) for month in range(1, 13) for day in range(20, 27))
"""Months and days that combine each month with each weekday."""


class PostModel(QAbstractTableModel):
    """Items of a dataset in an order, with the figures of their last samples."""

    def __init__(self, zone: ZoneInfo) -> None:
        super().__init__()
        self._zone = zone
        self._data: Dataset | None = None
        self._order: Sequence[int] = ()
        self.figure = Figure.VIEWS
        self._most, self._best_first = 0, True

    def show(self, data: Dataset, order: Sequence[int], figure: Figure, *, best_first: bool) -> None:
        """Set the items, in the order of a figure, which bars compare."""
        self.beginResetModel()
        self._best_first = best_first
        self._data, self._order, self.figure = data, order, figure
        counts = data.totals[figure.place]
        self._most = max((counts[place] or 0 for place in order), default=0)
        self.endResetModel()

    @property
    def places(self) -> Sequence[int]:
        """The places of the items in the dataset, in their shown order."""
        return self._order

    def item(self, row: int) -> Item | None:
        """Return the item of a row."""
        if self._data is None or not 0 <= row < len(self._order):
            return None
        return self._data.items[self._order[row]]

    def color_index(self, row: int) -> int:
        """Return the account colour's index of a row."""
        assert self._data is not None  # noqa: S101  only called for rows that exist
        return self._data.sources[self._data.item_source[self._order[row]]].color_index

    def row_of(self, place: int) -> int:
        """Return the row of an item by its place; -1 if it isn't listed."""
        return self._order.index(place) if place in self._order else -1

    def count(self, row: int, figure: Figure) -> int | None:
        """Return a figure of a row; None if unknown."""
        if self._data is None:
            return None
        return self._data.totals[figure.place][self._order[row]]

    def share(self, row: int) -> float:
        """Return the length of the bar of a row, from 0 to 1."""
        count = self.count(row, self.figure)
        return max(0, count) / self._most if count is not None and self._most > 0 else 0.0

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's signature
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's signature
        return 0 if parent.isValid() else len(_HEADER)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text of a cell."""
        if role == Qt.ItemDataRole.DisplayRole:
            return self.words(index.row(), index.column())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.spoken(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if index.column() >= FIRST else _LEFT
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == POST:
            return self.words(index.row(), POST)
        if role == PLACE:
            return self._order[index.row()]
        return None

    def spoken(self, row: int, column: int) -> str:
        """Return the description of a cell for screen readers."""
        item, words = self.item(row), self.words(row, column)
        if item is None:
            return ""
        if column == POST:
            whole = [f"{NAMES[one]}: {_told(self.count(row, one))}" for one in COUNTED]
            named = f"{words}, {platform_name(item.platform)}, {published(item, self._zone)}"
            return f"{named}, {', '.join(whole)}"
        return f"{_HEADER[column]}: {words}" if column != BAR else ""

    def headerData(  # noqa: N802  Qt's
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the name of a column."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            is_ordered = section == FIRST + self.figure.place
            return (
                f"{_HEADER[section]} {'↓' if self._best_first else '↑'}" if is_ordered else _HEADER[section]
            )
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section >= FIRST else _LEFT
        return None

    def words(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        item = self.item(row)
        if item is None or column == BAR:
            return ""
        if column == POST:
            return headline(item)
        if column == PUBLISHED:
            return published(item, self._zone)
        return number(self.count(row, COUNTED[column - FIRST]))


class PostTable(PlainTable):
    """Arrow keys move between rows; Enter opens the post; a click on a figure's name sorts by it."""

    opened = Signal()
    sort_asked = Signal(object)
    """The Figure whose name was clicked."""

    def __init__(self, model: PostModel) -> None:
        super().__init__(tr("Posts in this period"), model)
        self.setItemDelegate(_PostCell(self, model))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        head = self.horizontalHeader()
        head.setStyleSheet(f"QHeaderView::section:first {{ padding-left: {_FIRST_INSET}px; }}")
        head.setSectionsClickable(True)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.sectionClicked.connect(self._press)
        self._day, self._figures = 0, [0 for _ in COUNTED]
        theme.follow(self._measure)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _press(self, column: int) -> None:
        if column >= FIRST:
            self.sort_asked.emit(COUNTED[column - FIRST])

    def _fit(self) -> None:
        room = self.viewport().width()
        day, rest = self._day, room - sum(self._figures) - self._day
        bar = min(110, round(rest * _BAR_SHARE)) if rest > 250 else 0
        self.setColumnHidden(BAR, bar == 0)
        self.setColumnWidth(POST, max(110, rest - bar))
        self.setColumnWidth(PUBLISHED, day)
        self.setColumnWidth(BAR, bar)
        for place, width in enumerate(self._figures):
            self.setColumnWidth(FIRST + place, width)

    def _measure(self) -> None:
        """Compute column widths from the longest time and the names of figures, which vary by language."""
        least, head = round(64 * theme.current().scale), QFontMetrics(theme.current().font("text"))
        names = (f"{NAMES[figure]} ↓" for figure in COUNTED)
        self._figures = [max(least, head.horizontalAdvance(name) + 2 * _INSET + 4) for name in names]
        font = QFontMetrics(theme.current().font("clock"))
        moments = (datetime(2026, month, day, 22, 28, tzinfo=UTC) for month, day in _EVERY_NAME)
        items = (Item("", "", "", published_at=round(at.timestamp() * 1_000)) for at in moments)
        self._day = 2 * _INSET + 1 + max(font.horizontalAdvance(published(item, _UTC)) for item in items)
        self._fit()


class _PostCell(QStyledItemDelegate):
    """Paints a glyph before the text, and a bar for the figure that the rows are sorted by."""

    def __init__(self, parent: PostTable, model: PostModel) -> None:
        super().__init__(parent)
        self._model = model
        theme.follow(self._restyle)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a cell, setting all painter state it uses: the painter isn't restored after each cell."""
        area, row, column = QRectF(option.rect), index.row(), index.column()
        is_chosen = QStyle.StateFlag.State_Selected in option.state
        painter.fillRect(area, self._chosen_ground if is_chosen else self._ground)
        painter.fillRect(QRectF(area.left(), area.bottom() - 1, area.width(), 1), self._line)
        if column == BAR:
            self._paint_bar(painter, option, row, is_chosen=is_chosen)
        elif column == POST:
            self._paint_post(painter, area, row)
            if is_chosen:
                painter.fillRect(QRectF(area.left(), area.top(), _EDGE, area.height()), self._edge)
        else:
            self._paint_words(painter, area, row, column)
        if is_chosen and QStyle.StateFlag.State_HasFocus in option.state:
            rounded(painter, area.adjusted(1, 1, -1, -1), 3, line="accent", width=2)

    def _paint_bar(
        self, painter: QPainter, option: QStyleOptionViewItem, row: int, *, is_chosen: bool
    ) -> None:
        area, share = QRectF(option.rect), self._model.share(row)
        track = QRectF(area.left() + 6, area.center().y() - _BAR_HEIGHT / 2, area.width() - 12, _BAR_HEIGHT)
        if share * track.width() >= 1:
            color, direction = "accent" if is_chosen else "data2", option.direction
            draw_bar(painter, track, share, color, radius=3, least=3, direction=direction)

    def _paint_post(self, painter: QPainter, area: QRectF, row: int) -> None:
        item = self._model.item(row)
        if item is None:
            return
        icon = platform_icon(item.platform)
        glyph = QRectF(area.left() + _FIRST_INSET, area.center().y() - _GLYPH / 2, _GLYPH, _GLYPH)
        draw_icon(painter, glyph, icon, theme.current().tokens.account(self._model.color_index(row)))
        self._post.write(painter, area.adjusted(_FIRST_INSET + 22, 0, -8, 0), headline(item), _LEFT)

    def _paint_words(self, painter: QPainter, area: QRectF, row: int, column: int) -> None:
        hand = self._ordered if column == FIRST + self._model.figure.place else self._usual
        side = _RIGHT if column >= FIRST else _LEFT
        hand.write(painter, area.adjusted(_INSET, 0, -_INSET, 0), self._model.words(row, column), side)

    def _restyle(self) -> None:
        """Look up once what all cells share, because a table is painted cell by cell."""
        look = theme.current()
        self._ground, self._chosen_ground = look.color("surface"), look.color("accent_soft")
        self._line, self._edge = look.color("line2"), look.color("accent")
        self._post = _Hand(look.font("card", QFont.Weight.Medium), look.color("text"))
        self._usual = _Hand(look.font("clock"), look.color("text2"))
        self._ordered = _Hand(look.font("clock", QFont.Weight.DemiBold), look.color("text"))


class _Hand:
    """Writes text in a font and a colour, elided if it doesn't fit."""

    def __init__(self, font: QFont, ink: QColor) -> None:
        self._font, self._ink, self._metrics = font, ink, QFontMetrics(font)

    def write(self, painter: QPainter, area: QRectF, words: str, side: Qt.AlignmentFlag) -> None:
        """Write at a point: letting the painter lay out text in a box takes twice as long."""
        painter.setFont(self._font)
        painter.setPen(self._ink)
        metrics, width = self._metrics, self._metrics.horizontalAdvance(words)
        if width > area.width():
            words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(area.width()))
            width = metrics.horizontalAdvance(words)
        stands_right = (side == _RIGHT) != (painter.layoutDirection() is Qt.LayoutDirection.RightToLeft)
        left = area.right() - width if stands_right else area.left()
        top = area.top() + (area.height() - metrics.height()) / 2
        painter.drawText(QPointF(left, top + metrics.ascent()), words)


def _told(count: int | None) -> str:
    return tr("not reported") if count is None else number(count)
