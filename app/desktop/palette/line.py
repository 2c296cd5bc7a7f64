"""The room of one line, and what is painted into it."""

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyle

from app.desktop.palette.rows import Spans
from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_icon, rounded
from app.desktop.widgets.text import TextFitter

INSET = 8
"""From the list's edge to an entry's ground; what is in it stands as far inside again."""

_CAP_PADDING = 5
_CAP_GAP = 4


class Line:
    """The room of a row, taken from its start and its end; mirrored where one reads from the right."""

    def __init__(
        self, painter: QPainter, area: QRect, direction: Qt.LayoutDirection, inset: int = 2 * INSET
    ) -> None:
        self._painter, self._direction = painter, direction
        self._area = area
        self._start = float(area.left() + inset)
        self._end = float(area.right() + 1 - inset)

    @property
    def room(self) -> float:
        return self._end - self._start

    def take(self, width: float) -> QRectF:
        """The next part from the start."""
        part = self._part(self._start, width)
        self._start += width
        return part

    def take_back(self, width: float) -> QRectF:
        """The next part from the end."""
        self._end -= width
        return self._part(self._end, width)

    def ground(self, fill: str) -> None:
        """Fills the entry's ground."""
        ground = QRectF(self._area).adjusted(INSET, 0, -INSET, 0)
        rounded(self._painter, ground, theme.current().metrics.radius, fill=fill)

    def icon(self, name: str, tint: str, part: QRectF) -> None:
        draw_icon(self._painter, part, name, tint)

    def cap(self, text: str, font: TextFitter) -> None:
        """Writes what stands on a key, framed like one."""
        height, width = font.line + 5, cap_room(text, font) - _CAP_GAP
        part = self.take_back(width)
        frame = QRectF(part.x(), part.center().y() - height / 2, width, height)
        rounded(self._painter, frame, 4, fill="raised", line="line")
        self._ink(font, "text2")
        self._painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, text)
        self.take_back(_CAP_GAP)

    def write(self, text: str, font: TextFitter, role: str, part: QRectF, *, at_end: bool = False) -> None:
        """Writes as much of a text as fits."""
        self._ink(font, role)
        shown = font.elided(text, part.width())
        reads_right = self._direction == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if at_end != reads_right else Qt.AlignmentFlag.AlignLeft
        flags = side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        self._painter.drawText(part, int(flags), shown)

    def write_found(self, text: str, font: TextFitter, role: str, spans: Spans, part: QRectF) -> None:
        """Writes a text with the parts that were looked for in the accent."""
        if not spans:
            self.write(text, font, role, part)
            return
        layout = QTextLayout(text, font.font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        layout.setTextOption(option)
        layout.setFormats([_found(start, end) for start, end in spans])
        layout.beginLayout()
        line = layout.createLine()
        layout.endLayout()
        self._ink(font, role)
        layout.draw(self._painter, QPointF(part.x(), part.center().y() - line.height() / 2))

    def _ink(self, font: TextFitter, role: str) -> None:
        self._painter.setFont(font.font)
        self._painter.setPen(theme.current().color(role))

    def _part(self, start: float, width: float) -> QRectF:
        part = QRect(round(start), self._area.top(), round(width), self._area.height())
        return QRectF(QStyle.visualRect(self._direction, self._area, part))


def cap_room(text: str, font: TextFitter) -> float:
    """The width that a key takes, with what parts it from its neighbour."""
    return max(font.line + 5, font.width(text) + 2 * _CAP_PADDING) + _CAP_GAP


def _found(start: int, end: int) -> QTextLayout.FormatRange:
    span = QTextLayout.FormatRange()
    look = QTextCharFormat()
    look.setForeground(QColor(theme.current().color("accent")))
    span.start, span.length, span.format = start, end - start, look
    return span
