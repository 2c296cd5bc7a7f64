"""The list of drafts, out of which one is dragged onto a time of the calendar."""

from PySide6.QtCore import QMimeData, QPoint, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListWidgetItem, QWidget

from app.desktop import carried
from app.desktop.drafts.row import ICON, DraftRow
from app.desktop.kit.row_pictures import RowPictures
from app.desktop.theme import theme
from app.desktop.widgets.item_view import ListWidget
from app.desktop.widgets.painting import draw_icon, rounded, shadow
from app.language import tr

DRAFT_ID = Qt.ItemDataRole.UserRole

_CARD = (240, 34)
_SPREAD = 28
"""Room around the card, in which its shadow lies."""
_ICON_SIZE = 16
_HELD_AT = QPoint(18, 17)
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


class DraftList(ListWidget):
    """A row for each draft."""

    def __init__(self, pictures: RowPictures) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.rows = DraftRow(self, pictures)
        self.setItemDelegate(self.rows)
        self.setMouseTracking(True)  # rows show their buttons below the pointer
        self.setAccessibleName(tr("Drafts, most recently edited first"))
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)

    def carried(self, item: QListWidgetItem) -> QMimeData:
        """A draft as it is dragged: for ourselves its id, for other programs its first line."""
        data = QMimeData()
        carried.pack(data, carried.DRAFTS, [str(item.data(DRAFT_ID))])
        data.setText(item.text())
        return data

    def startDrag(self, actions: Qt.DropAction) -> None:  # noqa: N802 - Qt's
        """Drags the chosen draft."""
        del actions
        item: QListWidgetItem | None = self.currentItem()
        if item is not None:
            carried.carry(self, self.carried(item), _card(item, self), _HELD_AT + QPoint(_SPREAD, _SPREAD))


def _card(item: QListWidgetItem, screen: QWidget) -> QPixmap:
    """What floats below the pointer."""
    look, ratio = theme.current(), screen.devicePixelRatioF()
    width, height = _CARD
    picture = QPixmap(round((width + 2 * _SPREAD) * ratio), round((height + 2 * _SPREAD) * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    card = QRectF(_SPREAD, _SPREAD, width, height)
    shadow(painter, card, look.metrics.radius_card)
    rounded(painter, card, look.metrics.radius_card, fill="raised", line="accent", width=2)
    mark = QRectF(card.x() + 10, card.center().y() - _ICON_SIZE / 2, _ICON_SIZE, _ICON_SIZE)
    draw_icon(painter, mark, str(item.data(ICON)) or "file-pen-line", "text2")
    painter.setFont(look.font("card"))
    painter.setPen(look.color("text"))
    room = card.adjusted(34, 0, -10, 0)
    words = painter.fontMetrics().elidedText(item.text(), Qt.TextElideMode.ElideRight, int(room.width()))
    painter.drawText(room, _LEFT, words)
    painter.end()
    return picture
