"""A small card that shows the values at a place in a chart."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.desktop.theme import theme
from app.desktop.widgets.painting import rounded

_INSET: Final = 12
_KEY: Final = 18
_GAP: Final = 24
_MOST: Final = 190
_AWAY: Final = 14
"""Distance from the place, in px."""
_LEAST: Final = 120


class HoverRow(NamedTuple):
    """A colour, a name, a number; without a colour, a line above separates the row."""

    color: str
    name: str
    value: str


class HoverCard(QWidget):
    """Floats inside a chart; transparent to the mouse."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._title, self._detail = "", ""
        self._rows: Sequence[HoverRow] = ()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def tell(self, title: str, detail: str, rows: Sequence[HoverRow]) -> None:
        """Show this content."""
        self._title, self._detail, self._rows = title, detail, rows
        self.resize(self.sizeHint())
        self.update()

    def spoken(self) -> str:
        """Return the content for screen readers."""
        head = ", ".join(filter(None, (self._title, self._detail)))
        return ": ".join(filter(None, (head, ", ".join(f"{row.name} {row.value}" for row in self._rows))))

    def show_beside(self, x: int, room: QRect) -> None:
        """Show to the left of a place, or to the right if it doesn't fit there; never on the place.

        Where it fits on neither side, it's as wide as the larger one, and names are shortened.
        """
        before, after = x - _AWAY - room.left(), room.right() - x - _AWAY
        is_left = self.width() <= before or (self.width() > after and before > after)
        self.resize(min(self.width(), max(before if is_left else after, _LEAST)), self.height())
        self.move(x - _AWAY - self.width() if is_left else x + _AWAY, room.top() + 8)
        self.raise_()
        self.show()

    def sizeHint(self) -> QSize:
        words, figures = QFontMetrics(_words()), QFontMetrics(_figures())
        names = max((words.horizontalAdvance(row.name) for row in self._rows), default=0)
        values = max((figures.horizontalAdvance(row.value) for row in self._rows), default=0)
        detail = _GAP + words.horizontalAdvance(self._detail) if self._detail else 0
        head = figures.horizontalAdvance(self._title) + detail
        width = max(min(names, theme.current().grown(_MOST)) + _KEY + _GAP + values, head)
        line = theme.current().metrics.line + 2
        apart = 8 if any(not row.color for row in self._rows) else 0
        return QSize(width + 2 * _INSET, line * (len(self._rows) + 1) + 2 * 9 + apart)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint background, title and rows."""
        look, painter = theme.current(), QPainter(self)
        rounded(painter, QRectF(self.rect()), look.metrics.radius, fill="raised", line="line_strong")
        line = look.metrics.line + 2
        box = QRect(_INSET, 9, self.width() - 2 * _INSET, line)
        self._write(painter, box, self._title, self._detail, "text3")
        for row in self._rows:
            box.translate(0, line)
            if row.color:
                color = look.color(row.color)
                painter.fillRect(QRectF(box.left(), box.center().y(), 10, 2), color)
                self._write(painter, box.adjusted(_KEY, 0, 0, 0), row.name, row.value, "text", is_row=True)
            else:
                painter.fillRect(box.left(), box.top() + 4, box.width(), 1, look.color("line"))
                box.translate(0, 8)
                self._write(painter, box, row.name, row.value, "text", is_row=True)

    def _write(
        self, painter: QPainter, box: QRect, left: str, right: str, ink: str, *, is_row: bool = False
    ) -> None:
        look = theme.current()
        fonts = (_words(), _figures()) if is_row else (_figures(), _words())
        room = box.width() - (QFontMetrics(fonts[1]).horizontalAdvance(right) + 8 if right else 0)
        painter.setFont(fonts[0])
        painter.setPen(look.color("text2" if is_row else "text"))
        shown = QFontMetrics(fonts[0]).elidedText(left, Qt.TextElideMode.ElideRight, room)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
        painter.setFont(fonts[1])
        painter.setPen(look.color(ink))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, right)


def _words() -> QFont:
    return theme.current().font("card")


def _figures() -> QFont:
    return theme.current().font("clock", QFont.Weight.DemiBold)
