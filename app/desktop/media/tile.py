"""How a file is painted in the grid."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPainterPath
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.contract.enums import PostType
from app.desktop.media.model import ITEM
from app.desktop.media.thumb import ICONS
from app.desktop.media.thumbnails import Thumbnails
from app.desktop.media.wording import facts, length
from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_cover, draw_icon, rounded
from app.workspace.media.library import MediaItem

MARGIN = 8
"""Around the picture; the ring of the chosen tile stands in it, 6 px outside."""
_GAP = 6
_RING = 6


def tile_height(width: int) -> int:
    """How high a tile of a width is, at the text size in force."""
    lines = sum(QFontMetrics(theme.current().font(role)).height() for role in ("card", "small"))
    return _picture_height(width) + lines + 2 * MARGIN + _GAP + 2


class TileDelegate(QStyledItemDelegate):
    """A picture at 4:3, the name, and a quiet line."""

    def __init__(self, parent: QWidget, thumbnails: Thumbnails) -> None:
        super().__init__(parent)
        self._thumbnails = thumbnails
        self.size = QSize(160, 160)

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return self.size

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint ring, picture, name and facts."""
        item: MediaItem | None = index.data(ITEM)
        if item is None:
            return
        area: QRect = option.rect
        painter.save()
        self._paint_ring(painter, option, area)
        picture = QRect(
            area.left() + MARGIN,
            area.top() + MARGIN,
            area.width() - 2 * MARGIN,
            _picture_height(area.width()),
        )
        self._paint_picture(painter, QRectF(picture), item)
        if item.file.kind is PostType.VIDEO:
            _paint_length(painter, QRectF(picture), item.file.duration_ms)
        _paint_words(painter, QRect(picture.left(), picture.bottom() + _GAP, picture.width(), 1), item)
        painter.restore()

    def _paint_ring(self, painter: QPainter, option: QStyleOptionViewItem, area: QRect) -> None:
        state: QStyle.StateFlag = option.state
        space = MARGIN - _RING
        box, radius = QRectF(area).adjusted(space, space, -space, -space), theme.current().metrics.radius
        if state & QStyle.StateFlag.State_Selected:
            rounded(painter, box, radius, fill="accent_soft", line="accent", width=2)
        elif state & QStyle.StateFlag.State_HasFocus:
            rounded(painter, box, radius, line="accent", width=2)
        elif state & QStyle.StateFlag.State_MouseOver:
            rounded(painter, box, radius, fill="line2")

    def _paint_picture(self, painter: QPainter, box: QRectF, item: MediaItem) -> None:
        radius = theme.current().metrics.radius_card
        picture = self._thumbnails.of(item, painter.device().devicePixelRatio())
        rounded(painter, box, radius, fill="sunken", line="line")
        if picture is None:
            draw_icon(painter, _middle(box, 24), ICONS.get(item.file.kind, "image"), "text3")
            return
        shape = QPainterPath()
        shape.addRoundedRect(box, radius, radius)
        painter.save()
        painter.setClipPath(shape)
        draw_cover(painter, box, picture)
        painter.restore()


def _paint_words(painter: QPainter, line: QRect, item: MediaItem) -> None:
    look = theme.current()
    lines = (
        (look.font("card", QFont.Weight.Medium), "text", item.name, Qt.TextElideMode.ElideMiddle),
        (look.font("small"), "text3", facts(item), Qt.TextElideMode.ElideRight),
    )
    for font, color, words, elision in lines:
        painter.setFont(font)
        painter.setPen(look.color(color))
        line.setHeight(painter.fontMetrics().height())
        elided = painter.fontMetrics().elidedText(words, elision, line.width())
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading, elided)
        line.translate(0, line.height() + 2)


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
