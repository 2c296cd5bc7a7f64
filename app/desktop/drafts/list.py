"""The list of drafts: painting, and dragging a draft onto the calendar."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QMimeData, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListWidgetItem, QStyleOptionViewItem, QWidget

from app.desktop import carried
from app.desktop.kit.row_delegate import TRAILING, ActingRow, Index, Row, RowAction, width_of
from app.desktop.kit.row_pictures import RowPictures
from app.desktop.theme import theme
from app.desktop.widgets.keyed_list import KEY, KeyedList
from app.desktop.widgets.painting import draw_icon, rounded, shadow
from app.language import tr, trc

FACTS: Final = Qt.ItemDataRole.UserRole + 1
"""The second line: accounts, and how far the file's upload is."""
ICON: Final = Qt.ItemDataRole.UserRole + 2
"""The icon of the file's type; empty without a file."""
REASON: Final = Qt.ItemDataRole.UserRole + 3
"""Why the file's upload failed, at the end of the second line; empty if it didn't."""
UPLOAD: Final = Qt.ItemDataRole.UserRole + 4
"""The id of the file's upload, by which its picture is known; empty without a file."""
WHEN: Final = Qt.ItemDataRole.UserRole + 5
"""The time set, in words."""
HAS_TIME: Final = Qt.ItemDataRole.UserRole + 6
GLYPHS: Final = Qt.ItemDataRole.UserRole + 7
"""The accounts' marks: (icon, color) pairs."""
EDGE: Final = 40
"""Of the picture, in logical pixels."""
INSET: Final = 16
OPEN, DELETE = "open", "delete"

_HEIGHT: Final = 56
_GAP: Final = 12
_GLYPH: Final = 12
_GLYPH_GAP: Final = 4
_WHEN: Final = 134
_TITLE_LEAST: Final = 150
_CARD = (240, 34)
_SPREAD = 28
"""Room around the card, in which its shadow lies."""
_ICON_SIZE = 16
_HELD_AT = QPoint(18, 17)
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


class DraftRow(ActingRow):
    """Picture, first line, accounts and time; buttons show on hover and on the selected row."""

    def __init__(self, view: QAbstractItemView, pictures: RowPictures) -> None:
        super().__init__(view)
        self._pictures = pictures

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(200, _HEIGHT + 2 * (theme.current().metrics.line - 18))

    def actions(self, _index: Index) -> Sequence[RowAction]:
        """Return the buttons of any row."""
        return (
            RowAction(OPEN, "pencil", tr("Continue this draft (Enter)")),
            RowAction(DELETE, "trash-2", tr("Delete draft (Del)")),
        )

    def paint_row(self, row: Row, index: Index) -> None:
        """Paint the picture, both lines, the time and the buttons."""
        look, area = theme.current(), row.area
        row.has_focus = row.has_focus and self.shows_focus
        row.band(line=index.row() > 0)
        edge = look.grown(EDGE)
        picture = self._pictures.of(str(index.data(UPLOAD) or ""), row.painter.device().devicePixelRatio())
        row.tile(row.middle(area.left() + INSET, edge, edge), picture, str(index.data(ICON)))
        left = area.left() + INSET + edge + _GAP
        right = area.right() + 1 - width_of(len(self.actions(index)))
        when = look.grown(_WHEN)
        if right - when - left >= look.grown(_TITLE_LEAST):
            box = QRect(right - when, area.top(), when - _GAP, area.height())
            color = "text2" if index.data(HAS_TIME) else "text3"
            row.write(box, str(index.data(WHEN)), look.font("clock"), color, side=TRAILING)
            right -= when
        line = look.metrics.line
        title = QRect(left, area.center().y() - line + 1, right - left - _GAP, line)
        row.write(title, str(index.data(Qt.ItemDataRole.DisplayRole)), look.font("strong"), "text")
        self._paint_facts(row, title.translated(0, line), index)
        if row.is_hovered or row.is_selected:
            self.paint_actions(row, index, "text2")

    def _paint_facts(self, row: Row, line: QRect, index: Index) -> None:
        look = theme.current()
        edge, left = look.grown(_GLYPH), line.left()
        for icon, color in index.data(GLYPHS) or ():
            row.icon(QRect(left, line.top() + (line.height() - edge) // 2, edge, edge), icon, color)
            left += edge + _GLYPH_GAP
        left += _GLYPH_GAP if left > line.left() else 0
        font, facts, reason = look.font("card"), str(index.data(FACTS)), str(index.data(REASON))
        if reason:
            facts += " · "
        row.write(line.adjusted(left - line.left(), 0, 0, 0), facts, font, "text2")
        left += QFontMetrics(font).horizontalAdvance(facts)
        if reason and left < line.right():
            row.write(line.adjusted(left - line.left(), 0, 0, 0), reason, font, "bad")


def no_time() -> str:
    """Return the text for a draft without a time."""
    return trc("of a draft", "No time")


class DraftList(KeyedList):
    """Lists drafts."""

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
        """Return a draft's drag data: its ID for Kalends, its first line for other programs."""
        data = QMimeData()
        carried.pack(data, carried.DRAFTS, [str(item.data(KEY))])
        data.setText(item.text())
        return data

    def startDrag(self, actions: Qt.DropAction) -> None:  # noqa: N802 - Qt's
        """Drag the selected draft."""
        del actions
        item: QListWidgetItem | None = self.currentItem()
        if item is not None:
            carried.carry(self, self.carried(item), _card(item, self), _HELD_AT + QPoint(_SPREAD, _SPREAD))


def _card(item: QListWidgetItem, screen: QWidget) -> QPixmap:
    """Return the drag preview."""
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
