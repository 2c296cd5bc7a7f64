"""Painting the rows of a list: the ground, and words, icons and pictures in places that are mirrored."""

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPainterPath, QPixmap
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_cover, draw_icon, rounded

Index = QModelIndex | QPersistentModelIndex

LEADING: Final = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
TRAILING: Final = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignTrailing
CENTER: Final = Qt.AlignmentFlag.AlignCenter

END: Final = Qt.TextElideMode.ElideRight
MIDDLE: Final = Qt.TextElideMode.ElideMiddle

_BAR: Final = 3
"""Width of the bar at the start of a selected row."""
_TILE_RADIUS: Final = 5


class Row:
    """A row while it is painted.

    Boxes are given as they lie where the language runs from left to right, in the view's coordinates.
    """

    def __init__(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        state: QStyle.StateFlag = option.state
        self.painter, self.area, self.direction = painter, QRect(option.rect), option.direction
        self.is_selected = bool(state & QStyle.StateFlag.State_Selected)
        self.has_focus = bool(state & QStyle.StateFlag.State_HasFocus)
        self.is_hovered = bool(state & QStyle.StateFlag.State_MouseOver)

    def place(self, box: QRect) -> QRect:
        """Return where a box lies: at the other side where the language runs from right to left."""
        return QStyle.visualRect(self.direction, self.area, box)

    def middle(self, left: int, width: int, height: int) -> QRect:
        """Return a box in the vertical middle of the row."""
        return QRect(left, self.area.center().y() - height // 2 + 1, width, height)

    def ground(self, indent: int, inset: int) -> None:
        """Paint what lies below a row: selection, focus ring, or a line below it from ``indent`` on."""
        look, area = theme.current(), self.area
        box = QRectF(area).adjusted(4, 2, -4, -2)
        if self.is_selected:
            rounded(self.painter, box, look.metrics.radius, fill="accent_soft")
        else:
            self.fill(QRect(area.left() + indent, area.bottom(), area.width() - indent - inset, 1), "line2")
        if self.has_focus:
            rounded(self.painter, box, look.metrics.radius, line="accent", width=look.metrics.ring)

    def band(self, *, line: bool) -> None:
        """Paint a row from edge to edge: its selection, the pointer on it, and a ``line`` above it."""
        look, area = theme.current(), self.area
        if line:
            self.fill(QRect(area.left(), area.top(), area.width(), 1), "line2")
        if self.is_selected:
            self.fill(area, "accent_soft")
            self.fill(QRect(area.left(), area.top(), _BAR, area.height()), "accent")
        elif self.is_hovered:
            self.fill(area.adjusted(0, int(line), 0, 0), "bg")
        if self.has_focus:
            ring = QRectF(area).adjusted(1, 1, -1, -1)
            rounded(self.painter, ring, look.metrics.radius_card, line="accent", width=look.metrics.ring)

    def tile(self, box: QRect, picture: QPixmap | None, icon: str) -> None:
        """Paint a post's picture; without one an icon, or "Aa" for a post without a file ("")."""
        if picture is not None:
            self.picture(box, picture, _TILE_RADIUS)
            return
        rounded(self.painter, QRectF(self.place(box)), _TILE_RADIUS, fill="sunken")
        if icon:
            edge = theme.current().metrics.icon
            middle = QRect(0, 0, edge, edge)
            middle.moveCenter(box.center())
            self.icon(middle, icon, "text2")
        else:
            self.write(box, "Aa", theme.current().font("card", QFont.Weight.DemiBold), "text2", side=CENTER)

    def fill(self, box: QRect, color: str) -> None:
        self.painter.fillRect(self.place(box), theme.current().color(color))

    def write(
        self,
        box: QRect,
        words: str,
        font: QFont,
        color: str,
        *,
        side: Qt.AlignmentFlag = LEADING,
        elide: Qt.TextElideMode = END,
    ) -> None:
        """Write a line of text, shortened where the box is too narrow."""
        self.painter.setFont(font)
        self.painter.setPen(theme.current().color(color))
        shown = QFontMetrics(font).elidedText(words, elide, box.width())
        self.painter.drawText(self.place(box), side, shown)

    def icon(self, box: QRect, name: str, color: str) -> None:
        draw_icon(self.painter, QRectF(self.place(box)), name, color)

    def picture(self, box: QRect, picture: QPixmap, radius: float) -> None:
        """Paint a picture that covers a box with rounded corners."""
        place, shape = QRectF(self.place(box)), QPainterPath()
        shape.addRoundedRect(place, radius, radius)
        self.painter.save()
        self.painter.setClipPath(shape)
        draw_cover(self.painter, place, picture)
        self.painter.restore()


class RowDelegate(QStyledItemDelegate):
    """Paints rows through ``Row``; leaves the painter as it was."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint_row(Row(painter, option), index)
        painter.restore()

    def paint_row(self, row: Row, index: Index) -> None:
        """Paint one row; overridden."""
        raise NotImplementedError
