"""How a step is painted in the history of undo."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_icon, rounded

WHEN = Qt.ItemDataRole.UserRole + 1
"""When it was done; "" for what was before all steps."""
ICON = Qt.ItemDataRole.UserRole + 2
IS_DONE = Qt.ItemDataRole.UserRole + 3
"""False for a step that was taken back."""

_ROW = 34
_INSET = 12
_ICON = 14
_GAP = 10
_VERTICAL = Qt.AlignmentFlag.AlignVCenter


class StepRow(QStyledItemDelegate):
    """A glyph for its state, what was done, and quietly at the end when."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, max(_ROW, QFontMetrics(theme.current().font("text")).height() + 16))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paints ground, ring, glyph and words, from the right where the language runs so."""
        look, area = theme.current(), option.rect
        painter.save()
        self._paint_ground(painter, QRectF(area).adjusted(1, 1, -1, -1), option.state)
        inner = area.adjusted(_INSET, 0, -_INSET, 0)
        ink = "text" if index.data(IS_DONE) else "text3"

        def mirrored(place: QRect) -> QRect:
            return QStyle.visualRect(option.direction, area, place)

        mark = QRect(inner.left(), inner.center().y() - _ICON // 2 + 1, _ICON, _ICON)
        draw_icon(painter, QRectF(mirrored(mark)), str(index.data(ICON)), "text3")
        clock, when = look.font("clock"), str(index.data(WHEN))
        width = QFontMetrics(clock).horizontalAdvance(when)
        painter.setFont(clock)
        painter.setPen(look.color("text3"))
        place = mirrored(QRect(inner.right() - width, inner.top(), width + 1, inner.height()))
        painter.drawText(place, _VERTICAL | Qt.AlignmentFlag.AlignRight, when)
        line = inner.adjusted(_ICON + _GAP, 0, -width - _GAP, 0)
        painter.setFont(look.font("text", QFont.Weight.Normal))
        painter.setPen(look.color(ink))
        words = str(index.data(Qt.ItemDataRole.DisplayRole))
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, line.width())
        start = QStyle.visualAlignment(option.direction, Qt.AlignmentFlag.AlignLeft)
        painter.drawText(mirrored(line), _VERTICAL | start, shown)
        painter.restore()

    @staticmethod
    def _paint_ground(painter: QPainter, place: QRectF, state: QStyle.StateFlag) -> None:
        radius = theme.current().metrics.radius
        if state & QStyle.StateFlag.State_Selected:
            rounded(painter, place, radius, fill="accent_soft")
        elif state & QStyle.StateFlag.State_MouseOver:
            rounded(painter, place, radius, fill="sunken")
        if state & QStyle.StateFlag.State_HasFocus:
            rounded(painter, place, radius, line="accent", width=2)
