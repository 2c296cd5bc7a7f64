"""The picture of the welcome screen: a month whose first day is marked in red, as the Kalends were."""

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.desktop.theme import icons, theme
from app.desktop.theme.fonts import Role
from app.desktop.widgets.painting import mirrored, rounded
from app.language import tr

SLOGAN = tr("Drag a post to a day. It's published on time, exactly once.")
LEGEND = tr("Kalends: the first day of the month, marked in red.")

_MARGIN = 48
_MARK = 36
_CELL = 88
_GRID_TOP = 168
_FIRST_COLUMN = 56
_CELL_LEAST = 56
_COLUMNS = 5.73
"""How many days fit after the first, cut column: the last one is cut by the edge too."""
_ROWS = 5
_DAYS = 31
_SLOGAN_GAP = 62
_WIDE = 540
_TIGHT = 93  # percent of the normal advance, as large letters are set
_WORDS_ROOM = 292
_BAR = (52, 34)
_BARS = {3: (0,), 5: (0, 1), 7: (0,), 9: (1,), 10: (0,), 12: (0,), 15: (0, 0), 17: (1,), 19: (0,)} | {
    22: (0,),
    24: (0, 1),
    26: (0,),
}
"""The posts in the picture: for a day, which of the two lengths each bar has."""


class WelcomePicture(QWidget):
    """Paints the app's mark, the month and the slogan; the month gives way where the window is low."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(f"Kalends. {SLOGAN}")
        theme.follow(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # the picture is not mirrored
        painter.fillRect(self.rect(), theme.current().color("sunken"))
        painter.fillRect(
            mirrored(self, QRect(self.width() - 1, 0, 1, self.height())), theme.current().color("line")
        )
        self._paint_name(painter)
        self._paint_month(painter)
        self._paint_words(painter)

    def _paint_name(self, painter: QPainter) -> None:
        mark = icons.app_mark(_MARK, self.devicePixelRatioF())
        painter.drawPixmap(QPointF(self._margin(), self._margin()), mark)
        painter.setFont(_font("section", 17))
        painter.setPen(theme.current().color("text"))
        place = QRect(self._margin() + _MARK + 12, self._margin(), self.width(), _MARK)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, "Kalends")

    def _paint_month(self, painter: QPainter) -> None:
        top, edge = self._grid()
        line = theme.current().color("line")
        for row in range(_ROWS + 1):
            painter.fillRect(0, top + row * edge, self.width(), 1, line)
        for x in range(_FIRST_COLUMN, self.width(), edge):
            painter.fillRect(x, top, 1, _ROWS * edge, line)
        for day in range(1, _DAYS + 1):
            row, column = divmod(day, 7)  # the days of the column that the edge cuts divide by seven
            cell = QRect(_FIRST_COLUMN + (column - 1) * edge, top + row * edge, edge, edge)
            _paint_kalends(painter, cell) if day == 1 else _paint_day(painter, cell, day)

    def _paint_words(self, painter: QPainter) -> None:
        top, edge = self._grid()
        flags = int(Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap)
        width = self.width() - 2 * self._margin()
        painter.setFont(_slogan_font(self.width()))
        painter.setPen(theme.current().color("text"))
        slogan = QRect(self._margin(), top + _ROWS * edge + _SLOGAN_GAP, width, self.height())
        taken = painter.boundingRect(slogan, flags, SLOGAN)
        painter.drawText(slogan, flags, SLOGAN)
        painter.setFont(theme.current().font("card"))
        painter.setPen(theme.current().color("text3"))
        legend = painter.boundingRect(QRect(self._margin(), 0, width, self.height()), flags, LEGEND)
        legend.moveBottom(self.height() - self._margin() + 3)
        if legend.top() > taken.bottom() + 8:
            painter.drawText(legend, flags, LEGEND)

    def _grid(self) -> tuple[int, int]:
        """Return the top of the month and the edge of a day, which follows width and height."""
        room = self.height() - _WORDS_ROOM - _GRID_TOP
        wanted = max(_CELL, round((self.width() - _FIRST_COLUMN) / _COLUMNS))
        edge = max(_CELL_LEAST, min(wanted, room // _ROWS))
        top = _GRID_TOP if edge >= _CELL else max(_MARGIN + _MARK + 24, _GRID_TOP - (_CELL - edge))
        return top, edge

    def _margin(self) -> int:
        return _MARGIN if self.width() >= 420 else 32


def _paint_kalends(painter: QPainter, cell: QRect) -> None:
    painter.fillRect(cell, theme.current().color("rubric"))
    painter.setFont(_font("hero", 26))
    painter.setPen(theme.current().color("on_rubric"))
    flags = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
    painter.drawText(cell.adjusted(11, 8, 0, 0), flags, "1")


def _paint_day(painter: QPainter, cell: QRect, day: int) -> None:
    painter.setFont(theme.current().font("card"))
    painter.setPen(theme.current().color("text3"))
    flags = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
    painter.drawText(cell.adjusted(10, 9, 0, 0), flags, str(day))
    for number, length in enumerate(_BARS.get(day, ())):
        bar = QRectF(cell.x() + 10, cell.y() + 32 + 12 * number, _BAR[length], 5)
        rounded(painter, bar, 2.5, fill="line")


def _slogan_font(width: int) -> QFont:
    font = _font("hero", 30 if width >= _WIDE else 26)
    font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, _TIGHT)
    return font


def _font(role: Role, pixels: int) -> QFont:
    font = theme.current().font(role)
    font.setPixelSize(pixels)
    return font
