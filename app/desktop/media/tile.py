"""How a file is painted in the grid."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from app.contract.enums import PostType
from app.desktop.kit.row_delegate import MIDDLE, Index, Row, RowDelegate
from app.desktop.media.model import ITEM
from app.desktop.media.thumbnails import ICONS, Thumbnails
from app.desktop.media.wording import facts, length
from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_icon, rounded
from app.workspace.media.library import MediaItem

MARGIN = 8
"""Space around the picture; it contains the ring of the selected tile, 6 px outside."""
_GAP = 6
_RING = 6


def tile_height(width: int) -> int:
    """How high a tile of a width is, at the text size in force."""
    lines = sum(QFontMetrics(theme.current().font(role)).height() for role in ("card", "small"))
    return _picture_height(width) + lines + 2 * MARGIN + _GAP + 2


class TileDelegate(RowDelegate):
    """A picture at 4:3, the name, and a quiet line."""

    def __init__(self, parent: QWidget, thumbnails: Thumbnails) -> None:
        super().__init__(parent)
        self._thumbnails = thumbnails
        self.size = QSize(160, 160)

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return self.size

    def paint_row(self, row: Row, index: Index) -> None:
        """Paint ring, picture, name and facts."""
        item: MediaItem | None = index.data(ITEM)
        if item is None:
            return
        area = row.area
        self._paint_ring(row)
        height = _picture_height(area.width())
        picture = QRect(area.left() + MARGIN, area.top() + MARGIN, area.width() - 2 * MARGIN, height)
        self._paint_picture(row, picture, item)
        if item.file.kind is PostType.VIDEO:
            _paint_length(row.painter, QRectF(picture), item.file.duration_ms)
        look, line = theme.current(), QRect(picture.left(), picture.bottom() + _GAP, picture.width(), 1)
        name, small = look.font("card", QFont.Weight.Medium), look.font("small")
        line.setHeight(QFontMetrics(name).height())
        row.write(line, item.name, name, "text", elide=MIDDLE)
        line.translate(0, line.height() + 2)
        line.setHeight(QFontMetrics(small).height())
        row.write(line, facts(item), small, "text3")

    def _paint_ring(self, row: Row) -> None:
        space = MARGIN - _RING
        box, radius = QRectF(row.area).adjusted(space, space, -space, -space), theme.current().metrics.radius
        if row.is_selected:
            rounded(row.painter, box, radius, fill="accent_soft", line="accent", width=2)
        elif row.has_focus:
            rounded(row.painter, box, radius, line="accent", width=2)
        elif row.is_hovered:
            rounded(row.painter, box, radius, fill="line2")

    def _paint_picture(self, row: Row, box: QRect, item: MediaItem) -> None:
        radius = theme.current().metrics.radius_card
        picture = self._thumbnails.of(item, row.painter.device().devicePixelRatio())
        rounded(row.painter, QRectF(box), radius, fill="sunken", line="line")
        if picture is None:
            icon = ICONS.get(item.file.kind, "image")
            draw_icon(row.painter, _middle(QRectF(box), 24), icon, "text3")
        else:
            row.picture(box, picture, radius)


def _paint_length(painter: QPainter, box: QRectF, milliseconds: int | None) -> None:
    """Say that it is a video, and how long it is where that is known."""
    look = theme.current()
    painter.setFont(look.font("small", QFont.Weight.Medium))
    words = length(milliseconds) if milliseconds is not None else ""
    width = painter.fontMetrics().horizontalAdvance(words) + (4 if words else 0) + 10 + 12
    height = painter.fontMetrics().height() + 4
    pill = QRectF(box.right() - width - 5, box.bottom() - height - 5, width, height)
    ground, ink = ("surface", "text") if look.tokens.dark else ("tooltip", "on_tooltip")  # dark in both
    rounded(painter, pill, 4, fill=ground)
    draw_icon(painter, QRectF(pill.left() + 6, pill.center().y() - 5, 10, 10), "play", ink)
    painter.setPen(look.color(ink))
    painter.drawText(pill.adjusted(20, 0, -6, 0), Qt.AlignmentFlag.AlignVCenter, words)


def _middle(box: QRectF, edge: float) -> QRectF:
    middle = QRectF(0, 0, edge, edge)
    middle.moveCenter(box.center())
    return middle


def _picture_height(width: int) -> int:
    return round((width - 2 * MARGIN) * 3 / 4)
