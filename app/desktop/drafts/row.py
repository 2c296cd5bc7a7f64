"""How a draft is painted in the list."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QStyleOptionViewItem

from app.desktop.kit.row_delegate import Index, Row, RowDelegate
from app.desktop.theme import theme

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


class DraftRow(RowDelegate):
    """A line for what was written, and a quiet one for when, whom and the file."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(200, _HEIGHT + 2 * (theme.current().metrics.line - 18))

    def paint_row(self, row: Row, index: Index) -> None:
        """Paint ground, mark and both lines."""
        look, area, is_bad = theme.current(), row.area, bool(index.data(IS_BAD))
        row.ground(_TEXT, _INSET)
        self._paint_mark(row, index, is_bad=is_bad)
        height = look.metrics.line
        line = QRect(area.left() + _TEXT, area.top() + 9, area.width() - _TEXT - _INSET, height)
        row.write(line, str(index.data(Qt.ItemDataRole.DisplayRole)), look.font("strong"), "text")
        facts, color = str(index.data(FACTS)), "bad" if is_bad else "text2"
        row.write(line.translated(0, height + 1), facts, look.font("card"), color)

    def _paint_mark(self, row: Row, index: Index, *, is_bad: bool) -> None:
        """What the file shows, or what kind of post it is."""
        picture = index.data(PICTURE)
        edge = _ICON if picture is None else EDGE
        box = row.middle(row.area.left() + _INSET + (EDGE - edge) // 2, edge, edge)
        if picture is None:
            row.icon(box, str(index.data(ICON)), "bad" if is_bad else "text2")
        else:
            row.picture(box, picture, 4)
