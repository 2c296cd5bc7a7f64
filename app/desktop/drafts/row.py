"""How a draft is painted in the list."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPainterPath
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_cover, draw_icon, rounded

FACTS = Qt.ItemDataRole.UserRole + 1
"""The second line."""
ICON = Qt.ItemDataRole.UserRole + 2
IS_BAD = Qt.ItemDataRole.UserRole + 3
"""Whether the draft needs the person."""
PICTURE = Qt.ItemDataRole.UserRole + 4
"""A QPixmap of the draft's file, in place of the icon; None while there is none."""
EDGE = 30
"""Of the picture, in logical pixels."""

_HEIGHT = 56
_INSET = 14
_ICON = 18
_TEXT = 54


class DraftRow(QStyledItemDelegate):
    """A line for what was written, and a quiet one for when, whom and the file."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(200, _HEIGHT + 2 * (theme.current().metrics.line - 18))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint ground, icon and both lines."""
        look = theme.current()
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & QStyle.StateFlag.State_Selected:
            rounded(painter, QRectF(area).adjusted(4, 2, -4, -2), look.metrics.radius, fill="accent_soft")
        else:
            line = QRect(area.left() + _TEXT, area.bottom(), area.width() - _TEXT - _INSET, 1)
            painter.fillRect(QStyle.visualRect(option.direction, area, line), look.color("line2"))
        if state & QStyle.StateFlag.State_HasFocus:
            place = QRectF(area).adjusted(4, 2, -4, -2)
            rounded(painter, place, look.metrics.radius, line="accent", width=look.metrics.ring)
        is_bad = bool(index.data(IS_BAD))
        self._paint_mark(painter, option, index, is_bad=is_bad)
        height = look.metrics.line
        line = QRect(area.left() + _TEXT, area.top() + 9, area.width() - _TEXT - _INSET, height)
        line = QStyle.visualRect(option.direction, area, line)
        for role, font, color in (
            (Qt.ItemDataRole.DisplayRole, look.font("strong"), "text"),
            (FACTS, look.font("card"), "bad" if is_bad else "text2"),
        ):
            painter.setFont(font)
            painter.setPen(look.color(color))
            words = painter.fontMetrics().elidedText(
                str(index.data(role)), Qt.TextElideMode.ElideRight, line.width()
            )
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading, words)
            line.translate(0, height + 1)
        painter.restore()

    def _paint_mark(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
        *,
        is_bad: bool,
    ) -> None:
        """What the file shows, or what kind of post it is."""
        area, picture = option.rect, index.data(PICTURE)
        edge = _ICON if picture is None else EDGE
        left = area.left() + _INSET + (EDGE - edge) // 2
        box = QRect(left, area.center().y() - edge // 2 + 1, edge, edge)
        place = QRectF(QStyle.visualRect(option.direction, area, box))
        if picture is None:
            draw_icon(painter, place, str(index.data(ICON)), "bad" if is_bad else "text2")
            return
        shape = QPainterPath()
        shape.addRoundedRect(place, 4, 4)
        painter.save()
        painter.setClipPath(shape)
        draw_cover(painter, place, picture)
        painter.restore()
