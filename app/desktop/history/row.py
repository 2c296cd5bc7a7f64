"""How published content is painted in the list."""

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.contract.history import ContentRecord
from app.desktop.history.model import FACTS, RECORD
from app.desktop.history.wording import headline, says_more, status_words
from app.desktop.theme import icons, theme
from app.desktop.widgets.painting import draw_icon, rounded
from app.desktop.words import PLATFORM_NAMES

_HEIGHT: Final = 52
_INSET: Final = 16
_TEXT: Final = 46
_ICON: Final = 16
_STATUS_MOST: Final = 130


class RecordRow(QStyledItemDelegate):
    """Platform, first line, when and through what; the platform's word where it says more than published."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(200, _HEIGHT + 2 * (theme.current().metrics.line - 18))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint ground, mark and lines; quiet bars until the record is there."""
        area: QRect = option.rect
        record: ContentRecord | None = index.data(RECORD)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, option, area)
        if record is None:
            rounded(
                painter, QRectF(area.left() + _TEXT, area.top() + 14, area.width() * 0.4, 9), 4, fill="line2"
            )
            rounded(
                painter, QRectF(area.left() + _TEXT, area.top() + 31, area.width() * 0.25, 7), 3, fill="line2"
            )
        else:
            self._paint_record(painter, option, area, record, str(index.data(FACTS)))
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, area: QRect) -> None:
        look, state = theme.current(), option.state
        box = QRectF(area).adjusted(4, 2, -4, -2)
        if state & QStyle.StateFlag.State_Selected:
            rounded(painter, box, look.metrics.radius, fill="accent_soft")
        else:
            line = QRect(area.left() + _TEXT, area.bottom(), area.width() - _TEXT - _INSET, 1)
            painter.fillRect(QStyle.visualRect(option.direction, area, line), look.color("line2"))
        if state & QStyle.StateFlag.State_HasFocus:
            rounded(painter, box, look.metrics.radius, line="accent", width=look.metrics.ring)

    def _paint_record(
        self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, record: ContentRecord, facts: str
    ) -> None:
        look, platform = theme.current(), record.platform.value
        mark = QRect(area.left() + _INSET, area.center().y() - _ICON // 2 + 1, _ICON, _ICON)
        name = f"brand:{platform}" if platform in PLATFORM_NAMES and platform in icons.BRANDS else "globe"
        draw_icon(painter, QRectF(QStyle.visualRect(option.direction, area, mark)), name, "text2")
        status = status_words(record) if says_more(record) else ""
        width = self._paint_status(painter, option, area, status)
        line = QRect(
            area.left() + _TEXT, area.top() + 8, area.width() - _TEXT - _INSET - width, look.metrics.line
        )
        for words, font, ink in (
            (headline(record), look.font("text", QFont.Weight.Medium), "text"),
            (facts, look.font("clock"), "text3"),
        ):
            painter.setFont(font)
            painter.setPen(look.color(ink))
            shown = QFontMetrics(font).elidedText(words, Qt.TextElideMode.ElideRight, line.width())
            place = QStyle.visualRect(option.direction, area, line)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading, shown)
            line.translate(0, line.height())

    def _paint_status(self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, status: str) -> int:
        """Gives how much room it takes."""
        if not status:
            return 0
        look = theme.current()
        font = look.font("small", QFont.Weight.Medium)
        metrics = QFontMetrics(font)
        shown = metrics.elidedText(status, Qt.TextElideMode.ElideRight, _STATUS_MOST)
        width, height = metrics.horizontalAdvance(shown) + 14, metrics.height() + 4
        top = area.center().y() - height // 2 + 1
        box = QRect(area.right() - _INSET - width, top, width, height)
        place = QRectF(QStyle.visualRect(option.direction, area, box))
        rounded(painter, place, 4, fill="sunken", line="line")
        painter.setFont(font)
        painter.setPen(look.color("text2"))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, shown)
        return width + 12
