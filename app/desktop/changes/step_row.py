"""How a step is painted in the history of undo."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QStyleOptionViewItem

from app.desktop.kit.row_delegate import TRAILING, Index, Row, RowDelegate
from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded

WHEN = Qt.ItemDataRole.UserRole + 1
"""When it was done; "" for what was before all steps."""
ICON = Qt.ItemDataRole.UserRole + 2
IS_DONE = Qt.ItemDataRole.UserRole + 3
"""False for a step that was taken back."""

_ROW = 34
_INSET = 12
_ICON = 14
_GAP = 10


class StepRow(RowDelegate):
    """A glyph for its state, what was done, and quietly at the end when."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(0, max(_ROW, QFontMetrics(theme.current().font("text")).height() + 16))

    def paint_row(self, row: Row, index: Index) -> None:
        """Paint ground, ring, glyph and words."""
        look, inner = theme.current(), row.area.adjusted(_INSET, 0, -_INSET, 0)
        self._paint_ground(row)
        row.icon(row.middle(inner.left(), _ICON, _ICON), str(index.data(ICON)), "text3")
        when, clock = str(index.data(WHEN)), look.font("clock")
        width = QFontMetrics(clock).horizontalAdvance(when)
        place = QRect(inner.right() - width, inner.top(), width + 1, inner.height())
        row.write(place, when, clock, "text3", side=TRAILING)
        words, color = (
            str(index.data(Qt.ItemDataRole.DisplayRole)),
            "text" if index.data(IS_DONE) else "text3",
        )
        line = inner.adjusted(_ICON + _GAP, 0, -width - _GAP, 0)
        row.write(line, words, look.font("text", QFont.Weight.Normal), color)

    @staticmethod
    def _paint_ground(row: Row) -> None:
        place, radius = QRectF(row.area).adjusted(1, 1, -1, -1), theme.current().metrics.radius
        if row.is_selected:
            rounded(row.painter, place, radius, fill="accent_soft")
        elif row.is_hovered:
            rounded(row.painter, place, radius, fill="sunken")
        if row.has_focus:
            rounded(row.painter, place, radius, line="accent", width=2)
