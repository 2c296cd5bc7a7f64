"""How a file is painted in the list."""

from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from app.desktop.kit.row_delegate import END, LEADING, MIDDLE, TRAILING, Index, Row, RowDelegate
from app.desktop.media.columns import NAME, places
from app.desktop.media.model import ITEM
from app.desktop.media.thumbnails import ICONS, Thumbnails
from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_icon, rounded
from app.workspace.media.library import MediaItem

_PICTURE = 28
_INSET = 6


def row_height() -> int:
    """How high a row is, at the text size in force."""
    return max(_PICTURE + 8, QFontMetrics(theme.current().font("card")).height() + 14)


class FileRow(RowDelegate):
    """A small picture, the name, and the facts in columns."""

    def __init__(self, parent: QWidget, thumbnails: Thumbnails) -> None:
        super().__init__(parent)
        self._thumbnails = thumbnails
        self.size = QSize(160, 36)

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return self.size

    def paint_row(self, row: Row, index: Index) -> None:
        """Paint ground, picture and columns."""
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
