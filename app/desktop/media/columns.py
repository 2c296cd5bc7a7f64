"""The list view of files: columns, header, sorting and painting."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QWidget

from app.desktop.kit.row_delegate import END, LEADING, MIDDLE, TRAILING, Index, Row, RowDelegate
from app.desktop.media.model import ITEM, ORDERS
from app.desktop.media.thumbnails import ICONS, Thumbnails
from app.desktop.media.wording import added, kind_name, length, size
from app.desktop.theme import theme
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import draw_icon, mirrored, rounded, shows_focus
from app.language import tr
from app.workspace.media.library import MediaItem

PICTURE = 40
"""Pixels for the small picture before the name, with the room around it."""
_NAME_LEAST = 140
_GAP = 16
_END = 8
"""Space after the last column, so that its numbers stay inside the frame of a selected row."""

_ARROW = 12
_PICTURE = 28
_INSET = 6


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        sort: What clicking the header does.
        width: In logical pixels; 0 takes the remaining width.
        text: Returns the cell's text.
        orders: Keys of ``model.ORDERS``: for the first click, and reversed.
        is_number: Whether it's right-aligned.
    """

    title: str
    sort: str
    width: int
    text: Callable[[MediaItem], str]
    orders: tuple[str, str]
    is_number: bool = False


NAME = Column(tr("Name"), tr("Sort by name"), 0, lambda item: item.name, ("name", "name-back"))
SIZE = Column(tr("Size"), tr("Sort by size"), 72, size, ("largest", "smallest"), is_number=True)
LENGTH = Column(
    tr("Length"),
    tr("Sort by length"),
    62,
    lambda item: length(item.file.duration_ms) if item.file.duration_ms is not None else "",
    ("longest", "shortest"),
    is_number=True,
)
USED = Column(
    tr("Used in"),
    tr("Sort by used in"),
    84,
    lambda item: str(len(item.used_in) or ""),
    ("used", "unused"),
    is_number=True,
)
ADDED = Column(tr("Added"), tr("Sort by added"), 92, added, ("newest", "oldest"))
KIND = Column(tr("Type"), tr("Sort by type"), 100, kind_name, ("kind", "kind-back"))
COLUMNS = (NAME, KIND, SIZE, LENGTH, USED, ADDED)
_FIRST_TO_GO = (KIND, ADDED, LENGTH, USED, SIZE)
"""Where there is little room, these go in turn."""


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a column from the leading edge."""

    column: Column
    left: int
    width: int


def places(width: int, scale: float) -> list[Place]:
    """Return the positions of the columns that fit a width in pixels, at a text scale."""
    shown = list(COLUMNS)
    for column in (None, *_FIRST_TO_GO):
        if column is not None:
            shown.remove(column)
        rest = width - PICTURE - _END - sum(round(one.width * scale) + _GAP for one in shown if one.width)
        if rest >= _NAME_LEAST * scale:
            break
    found, left = [], PICTURE
    for column in shown:
        taken = round(column.width * scale) if column.width else max(rest, 1)
        found.append(Place(column, left, taken))
        left += taken + _GAP
    return found


class ColumnHead(QWidget):
    """The header: a row of buttons, as wide as the list without its scroll bar."""

    sorted_by = Signal(str)
    """The key of an order that the person wants."""

    def __init__(self) -> None:
        super().__init__()
        self._bar = 0
        self.buttons = {column.title: ColumnButton(column, self) for column in COLUMNS}
        for button in self.buttons.values():
            button.clicked.connect(partial(self._ask, button))
        self.setAccessibleName(tr("Columns"))
        theme.follow(self._place)

    def sizeHint(self) -> QSize:
        return QSize(200, round(30 * theme.current().scale))

    def make_room(self, bar: int) -> None:
        """Leave a number of pixels at the trailing edge for the scroll bar."""
        self._bar = bar
        self._place()

    def show_order(self, order: str) -> None:
        """Mark the column that the files are sorted by, and the direction."""
        for button in self.buttons.values():
            button.show_order(order)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def paintEvent(self, _event: QPaintEvent) -> None:
        line = QRectF(0, self.height() - 1, self.width(), 1)
        QPainter(self).fillRect(line, theme.current().color("line"))

    def _place(self) -> None:
        self.setFixedHeight(self.sizeHint().height())
        shown = {one.column.title: one for one in places(self.width() - self._bar, theme.current().scale)}
        for title, button in self.buttons.items():
            place = shown.get(title)
            button.setVisible(place is not None)
            if place is not None:
                box = QRect(place.left, 0, place.width, self.height() - 2)
                button.setGeometry(mirrored(self, box))

    def _ask(self, button: "ColumnButton") -> None:
        first, other = button.column.orders
        self.sorted_by.emit(other if button.order == first else first)


class ColumnButton(EnterPresses):
    """A column's name, with an arrow if the files are sorted by it."""

    shows_name = True

    def __init__(self, column: Column, parent: QWidget) -> None:
        super().__init__(parent)
        self.column, self.order = column, ""
        self.setText(column.title)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.show_order("")

    def show_order(self, order: str) -> None:
        """Show the arrow if this is one of the column's orders."""
        self.order = order if order in self.column.orders else ""
        told = f", {_within(ORDERS[self.order][0])}" if self.order else ""
        self.setAccessibleName(f"{self.column.sort}{told}")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, look = QPainter(self), theme.current()
        painter.setFont(look.font("small", QFont.Weight.Medium))
        painter.setPen(look.color("text" if self.order or self.underMouse() else "text2"))
        at_far_edge = self.column.is_number
        side = Qt.AlignmentFlag.AlignTrailing if at_far_edge else Qt.AlignmentFlag.AlignLeading
        flags = QStyle.visualAlignment(self.layoutDirection(), side | Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(self.rect(), flags, self.text())
        if self.order:
            width = painter.fontMetrics().horizontalAdvance(self.text())
            edge = look.grown(_ARROW)
            left = self.width() - width - edge - 3 if at_far_edge else width + 3
            box = mirrored(self, QRect(left, (self.height() - edge) // 2, edge, edge))
            draw_icon(painter, QRectF(box), "chevron-up" if self._rises() else "chevron-down", "text")
        if shows_focus(self):
            rounded(painter, QRectF(self.rect()).adjusted(0, 3, 0, -3), 4, line="accent", width=2)

    def _rises(self) -> bool:
        return not ORDERS[self.order][2]


def _within(words: str) -> str:
    """Return a name as written in the middle of a sentence."""
    return words[:1].lower() + words[1:]


def row_height() -> int:
    """Return the height of a row at the current text size."""
    return max(_PICTURE + 8, QFontMetrics(theme.current().font("card")).height() + 14)


class FileRow(RowDelegate):
    """Paints a thumbnail, the name, and the facts in columns."""

    def __init__(self, parent: QWidget, thumbnails: Thumbnails) -> None:
        super().__init__(parent)
        self._thumbnails = thumbnails
        self.size = QSize(160, 36)

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return self.size

    def paint_row(self, row: Row, index: Index) -> None:
        """Paint background, thumbnail and columns."""
        item: MediaItem | None = index.data(ITEM)
        if item is None:
            return
        self._paint_ground(row)
        self._paint_picture(row, item)
        look, area = theme.current(), row.area
        for place in places(area.width(), look.scale):
            is_name = place.column is NAME
            font = look.font("card", QFont.Weight.Medium if is_name else QFont.Weight.Normal)
            row.write(
                QRect(area.left() + place.left, area.top(), place.width, area.height()),
                place.column.text(item),
                font,
                "text" if is_name else "text2",
                side=TRAILING if place.column.is_number else LEADING,
                elide=MIDDLE if is_name else END,
            )

    def _paint_ground(self, row: Row) -> None:
        box, radius = QRectF(row.area).adjusted(1, 1, -1, -1), theme.current().metrics.radius_card
        line = "accent" if row.has_focus else ""
        if row.is_selected:
            rounded(row.painter, box, radius, fill="accent_soft", line=line)
        elif row.has_focus:
            rounded(row.painter, box, radius, line=line)
        elif row.is_hovered:
            rounded(row.painter, box, radius, fill="line2")

    def _paint_picture(self, row: Row, item: MediaItem) -> None:
        box = row.middle(row.area.left() + _INSET, _PICTURE, _PICTURE)
        place = QRectF(row.place(box))
        picture = self._thumbnails.of(item, row.painter.device().devicePixelRatio())
        rounded(row.painter, place, 4, fill="sunken")
        if picture is None:
            icon = ICONS.get(item.file.kind, "image")
            draw_icon(row.painter, place.adjusted(7, 7, -7, -7), icon, "text3")
        else:
            row.picture(box, picture, 4)
