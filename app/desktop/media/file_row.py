"""How a file is painted in the list."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPainterPath
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.desktop.media.columns import NAME, places
from app.desktop.media.model import ITEM
from app.desktop.media.thumb import ICONS
from app.desktop.media.thumbnails import Thumbnails
from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_cover, draw_icon, mirrored, rounded
from app.workspace.media.library import MediaItem

_PICTURE = 28
_INSET = 6


def row_height() -> int:
    """How high a row is, at the text size in force."""
    return max(_PICTURE + 8, QFontMetrics(theme.current().font("card")).height() + 14)


class FileRow(QStyledItemDelegate):
    """A small picture, the name, and the facts in columns."""

    def __init__(self, parent: QWidget, thumbnails: Thumbnails) -> None:
        super().__init__(parent)
        self._view = parent
        self._thumbnails = thumbnails
        self.size = QSize(160, 36)

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return self.size

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint ground, picture and columns."""
        item: MediaItem | None = index.data(ITEM)
        if item is None:
            return
        area: QRect = option.rect
        painter.save()
        self._paint_ground(painter, option, area)
        self._paint_picture(painter, area, item)
        look = theme.current()
        for place in places(area.width(), look.scale):
            is_name = place.column is NAME
            painter.setFont(look.font("card", QFont.Weight.Medium if is_name else QFont.Weight.Normal))
            painter.setPen(look.color("text" if is_name else "text2"))
            box = QRect(place.left, area.top(), place.width, area.height())
            words = place.column.text(item)
            elision = Qt.TextElideMode.ElideMiddle if is_name else Qt.TextElideMode.ElideRight
            elided = painter.fontMetrics().elidedText(words, elision, box.width())
            side = Qt.AlignmentFlag.AlignTrailing if place.column.is_number else Qt.AlignmentFlag.AlignLeading
            flags = QStyle.visualAlignment(self._view.layoutDirection(), side | Qt.AlignmentFlag.AlignVCenter)
            painter.drawText(mirrored(self._view, box), flags, elided)
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, area: QRect) -> None:
        state: QStyle.StateFlag = option.state
        box, radius = QRectF(area).adjusted(1, 1, -1, -1), theme.current().metrics.radius_card
        has_focus = bool(state & QStyle.StateFlag.State_HasFocus)
        if state & QStyle.StateFlag.State_Selected:
            line = "accent" if has_focus else ""
            rounded(painter, box, radius, fill="accent_soft", line=line)
        elif has_focus:
            rounded(painter, box, radius, line="accent")
        elif state & QStyle.StateFlag.State_MouseOver:
            rounded(painter, box, radius, fill="line2")

    def _paint_picture(self, painter: QPainter, area: QRect, item: MediaItem) -> None:
        place = QRect(_INSET, area.center().y() - _PICTURE // 2 + 1, _PICTURE, _PICTURE)
        box = QRectF(mirrored(self._view, place))
        picture = self._thumbnails.of(item, painter.device().devicePixelRatio())
        rounded(painter, box, 4, fill="sunken")
        if picture is None:
            draw_icon(painter, box.adjusted(7, 7, -7, -7), ICONS.get(item.file.kind, "image"), "text3")
            return
        shape = QPainterPath()
        shape.addRoundedRect(box, 4, 4)
        painter.save()
        painter.setClipPath(shape)
        draw_cover(painter, box, picture)
        painter.restore()
