"""How published content is painted in the list."""

from typing import Final

from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QStyleOptionViewItem

from app.contract.history import ContentRecord
from app.desktop.history.model import FACTS, RECORD
from app.desktop.history.wording import headline, says_more, status_words
from app.desktop.kit.row_delegate import CENTER, END, Index, Row, RowDelegate
from app.desktop.theme import icons, theme
from app.desktop.widgets.painting import rounded

_HEIGHT: Final = 52
_INSET: Final = 16
_TEXT: Final = 46
_ICON: Final = 16
_STATUS_MOST: Final = 130


class RecordRow(RowDelegate):
    """Platform, first line, when and through what; the platform's word where it says more than published."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(200, _HEIGHT + 2 * (theme.current().metrics.line - 18))

    def paint_row(self, row: Row, index: Index) -> None:
        """Paint ground, mark and lines; quiet bars until the record is there."""
        record: ContentRecord | None = index.data(RECORD)
        row.ground(_TEXT, _INSET)
        if record is not None:
            self._paint_record(row, record, str(index.data(FACTS)))
            return
        left, top, width = row.area.left() + _TEXT, row.area.top(), row.area.width()
        rounded(row.painter, QRectF(left, top + 14, width * 0.4, 9), 4, fill="line2")
        rounded(row.painter, QRectF(left, top + 31, width * 0.25, 7), 3, fill="line2")

    def _paint_record(self, row: Row, record: ContentRecord, facts: str) -> None:
        look, area, platform = theme.current(), row.area, record.platform.value
        name = icons.platform_icon(platform)
        row.icon(row.middle(area.left() + _INSET, _ICON, _ICON), name, "text2")
        status = status_words(record) if says_more(record) else ""
        taken = self._paint_status(row, status) if status else 0
        width = area.width() - _TEXT - _INSET - taken
        line = QRect(area.left() + _TEXT, area.top() + 8, width, look.metrics.line)
        row.write(line, headline(record), look.font("text", QFont.Weight.Medium), "text")
        row.write(line.translated(0, line.height()), facts, look.font("clock"), "text3")

    def _paint_status(self, row: Row, status: str) -> int:
        """Return how much room it takes at the end, in pixels."""
        font = theme.current().font("small", QFont.Weight.Medium)
        metrics = QFontMetrics(font)
        shown = metrics.elidedText(status, END, _STATUS_MOST)
        width = metrics.horizontalAdvance(shown) + 14
        box = row.middle(row.area.right() - _INSET - width, width, metrics.height() + 4)
        rounded(row.painter, QRectF(row.place(box)), 4, fill="sunken", line="line")
        row.write(box, shown, font, "text2", side=CENTER)
        return width + 12
