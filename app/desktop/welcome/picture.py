"""The picture of the welcome screen: next month, its first day in red, and a dragged post."""

from dataclasses import dataclass
from datetime import UTC, date, timedelta
from typing import Final

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.desktop import words
from app.desktop.theme import icons, theme
from app.desktop.theme.fonts import Role
from app.desktop.theme.tokens import mix
from app.desktop.widgets.painting import draw_icon, mirrored, rounded, shadow
from app.language import month_name, tr
from app.workspace.clock import now_in

SLOGAN: Final = tr("Plan a post once.") + "\n" + tr("It's published once.")
PROMISE: Final = tr("On time, from your own computer, to all your accounts.")

_MARGIN: Final = 56
_MARK: Final = 36
_MARK_RADIUS: Final = 8
_GRID_TOP: Final = 132
_CELL: Final = (136, 112)
_ROWS_MOST: Final = 4
_WORDS_ROOM: Final = 230
_TIGHT: Final = 97  # percent of the normal advance, as large letters are set
_RADIUS: Final = 12
_CARD_RADIUS: Final = 5
_WIDE_CARD: Final = 140
_LOW_CARD, _HIGH_CARD = 41, 56
_BESIDE_TEXT: Final = 16
_NARROW_CLOTH: Final = 36.0
_SHADES: Final = 0.35, 0.8
"""Share of the card's ground in a thread, and between threads."""
_TARGET: Final = 10
_TILT: Final = -2.0  # degrees


@dataclass(frozen=True, slots=True)
class _Card:
    """A post in the picture."""

    time: str
    platform: str
    color: int
    text: str
    cloth: int | None = None
    """Which pattern its picture has; None for a post without one."""


_CARDS: Final = {
    2: _Card("09:00", "linkedin", 1, tr("New in store")),
    4: _Card("12:15", "instagram", 0, tr("Swatch day"), 0),
    8: _Card("17:00", "youtube", 5, tr("Studio tour"), 1),
    11: _Card("08:30", "x", 2, tr("A thread")),
    15: _Card("18:30", "tiktok", 4, tr("Quick hem"), 2),
    17: _Card("13:00", "pinterest", 3, tr("Winter board"), 3),
    24: _Card("09:00", "facebook", 6, tr("Gift guide"), 0),
}
_DRAGGED: Final = _Card("12:15", "instagram", 0, tr("The long wool coat is back"), 1)
_CLOTHS: Final = ((2, 9.0, 3.0), (0, 14.0, 9.0), (1, 6.0, 2.0), (3, 11.0, 6.0))
"""Per pattern: the account colour it's woven in, the distance of its threads and their width, in px."""


class WelcomePicture(QWidget):
    """Paints mark, month and slogan. Weeks that don't fit are left out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(f"Kalends. {SLOGAN}".replace("\n", " "))
        self._first = _first_of_next_month()
        theme.follow(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the picture, which isn't mirrored."""
        painter = QPainter(self)
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        painter.fillRect(self.rect(), theme.current().color("sunken"))
        self._paint_name(painter)
        self._paint_month(painter)
        self._paint_words(painter)
        edge = mirrored(self, QRect(self.width() - 1, 0, 1, self.height()))
        painter.fillRect(edge, theme.current().color("line"))

    def _paint_name(self, painter: QPainter) -> None:
        margin = self._margin
        painter.drawPixmap(QPointF(margin, 52), icons.app_mark(_MARK, self.devicePixelRatioF()))
        mark = QRectF(margin, 52, _MARK, _MARK)
        rounded(painter, mark, _MARK_RADIUS, line="line")  # the mark's own outline is too thin at this size
        place = QRect(margin + _MARK + 12, 52, self.width(), _MARK)
        _write(painter, place, "Kalends", _font("section", 17), "text", Qt.AlignmentFlag.AlignVCenter)

    def _paint_month(self, painter: QPainter) -> None:
        width, height = _CELL
        rows = min(_ROWS_MOST, max(1, (self.height() - _GRID_TOP - _WORDS_ROOM) // height))
        sheet = QRectF(self._margin, _GRID_TOP, self.width(), rows * height)
        shadow(painter, sheet, _RADIUS)
        rounded(painter, sheet, _RADIUS, fill="surface", line="line")
        painter.save()
        rim = QPainterPath()
        rim.addRoundedRect(sheet, _RADIUS, _RADIUS)
        painter.setClipPath(rim)
        for row in range(rows):
            for column in range(7):
                cell = QRect(self._margin + column * width, _GRID_TOP + row * height, width, height)
                self._paint_day(painter, cell, row * 7 + column + 1)
        painter.restore()
        row, column = divmod(_TARGET - 1, 7)
        if row < rows:
            self._paint_drag(
                painter,
                QRect(self._margin + column * width, _GRID_TOP + row * height, width, height),
            )

    def _paint_day(self, painter: QPainter, cell: QRect, day: int) -> None:
        colors = theme.current()
        if day == 1:
            painter.fillRect(cell, colors.color("rubric"))
            _write(painter, cell.adjusted(15, 8, 0, 0), "1", _font("hero", 40), "on_rubric")
            bottom = Qt.AlignmentFlag.AlignBottom
            name = month_name(self._first)
            _write(painter, cell.adjusted(15, 0, 0, -11), name, _font("card", 12), "on_rubric", bottom)
            return
        painter.fillRect(QRect(cell.right(), cell.y(), 1, cell.height()), colors.color("line2"))
        painter.fillRect(QRect(cell.x(), cell.bottom(), cell.width(), 1), colors.color("line2"))
        if day == _TARGET:
            painter.fillRect(cell, colors.color("accent_soft"))
            rounded(painter, QRectF(cell), 0, line="accent", width=2)
        if cell.x() + 28 < self.width():
            _write(painter, cell.adjusted(8, 7, 0, 0), str(day), _font("card", 12), "text3")
        card = _CARDS.get(day)
        if card is not None and cell.right() < self.width():
            width = cell.width() - 17
            place = QRectF(cell.x() + 8, cell.y() + 31, width, _card_height(card, width))
            _paint_card(painter, place, card)

    def _paint_drag(self, painter: QPainter, cell: QRect) -> None:
        area = QRectF(0, 0, 168, _HIGH_CARD)
        painter.save()
        painter.translate(cell.x() + 22, cell.y() + 44)
        painter.rotate(_TILT)
        shadow(painter, area, _CARD_RADIUS)
        _paint_card(painter, area, _DRAGGED, "accent", 2)
        painter.restore()
        moment = self._first + timedelta(days=_TARGET - 1)
        said = f"{words.day(moment)} · {_DRAGGED.time}"
        font = _font("card", 12)
        painter.setFont(font)
        tip = QRectF(cell.x() + 50, cell.bottom() - 5, painter.fontMetrics().horizontalAdvance(said) + 20, 26)
        rounded(painter, tip, 5, fill="tooltip")
        _write(
            painter,
            tip.toRect().adjusted(10, 0, 0, 0),
            said,
            font,
            "on_tooltip",
            Qt.AlignmentFlag.AlignVCenter,
        )

    def _paint_words(self, painter: QPainter) -> None:
        width = max(0, self.width() - 2 * self._margin)
        flags = int(Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap)
        painter.setFont(font := _font("card", 14))
        room = QRect(self._margin, 0, width, self.height())
        promise = painter.boundingRect(room, flags, PROMISE)
        promise.moveBottom(self.height() - 50)
        painter.setFont(large := _slogan_font())
        slogan = painter.boundingRect(room, flags, SLOGAN)
        slogan.moveBottom(promise.top() - 16)
        for place, text, face, ink in ((slogan, SLOGAN, large, "text"), (promise, PROMISE, font, "text2")):
            painter.setFont(face)
            painter.setPen(theme.current().color(ink))
            painter.drawText(QRect(place.x(), place.y(), width, place.height()), flags, text)

    @property
    def _margin(self) -> int:
        return _MARGIN if self.width() >= 420 else 32


def _card_height(card: _Card, width: int) -> int:
    """Return the height of a card: no more than its text needs, which is one or two lines."""
    beside = _BESIDE_TEXT + (_NARROW_CLOTH if card.cloth is not None else 0)
    is_short = QFontMetrics(_font("card", 12)).horizontalAdvance(card.text) <= width - beside
    return _LOW_CARD if is_short else _HIGH_CARD


def _paint_card(painter: QPainter, area: QRectF, card: _Card, line: str = "line", width: float = 1) -> None:
    tokens = theme.current().tokens
    rounded(painter, area, _CARD_RADIUS, fill="surface", line=line, width=width)
    inner = area.adjusted(width, width, -width, -width)
    painter.fillRect(QRectF(inner.x(), inner.y(), 3, inner.height()), QColor(tokens.account(card.color)))
    left = inner.toRect().adjusted(10, 4, 0, 0)
    draw_icon(
        painter,
        QRectF(left.x(), left.y() + 2, 12, 12),
        icons.platform_icon(card.platform),
        tokens.account(card.color),
    )
    _write(painter, left.adjusted(18, 0, 0, 0), card.time, _font("clock", 11), "text2")
    end = 0.0
    if card.cloth is not None:
        end = inner.height() if inner.width() > _WIDE_CARD else _NARROW_CLOTH
        _paint_cloth(painter, QRectF(inner.right() - end, inner.y(), end, inner.height()), card.cloth)
    text = left.adjusted(0, 16, -round(end) - 4, 0)
    wrap = Qt.TextFlag.TextWordWrap
    _write(painter, text, card.text, _font("card", 12), "text", wrap)


def _paint_cloth(painter: QPainter, area: QRectF, kind: int) -> None:
    """Paint woven cloth; each kind has its own threads."""
    color, step, size = _CLOTHS[kind]
    tokens = theme.current().tokens
    thread, ground = (mix(tokens.account(color), tokens.surface, share) for share in _SHADES)
    painter.fillRect(area, QColor(ground))
    x = area.x()
    while x < area.right():
        painter.fillRect(QRectF(x, area.y(), min(size, area.right() - x), area.height()), QColor(thread))
        x += step
    faint = QColor(ground)
    faint.setAlphaF(0.45)
    y = area.y()
    while y < area.bottom():
        painter.fillRect(QRectF(area.x(), y, area.width(), min(size / 2, area.bottom() - y)), faint)
        y += step


def _write(
    painter: QPainter,
    place: QRect,
    text: str,
    font: QFont,
    color: str,
    more: Qt.AlignmentFlag | Qt.TextFlag = Qt.AlignmentFlag.AlignTop,
) -> None:
    painter.setFont(font)
    painter.setPen(theme.current().color(color))
    painter.drawText(place, int(Qt.AlignmentFlag.AlignLeft | more), text)


def _first_of_next_month() -> date:
    today = now_in(UTC).date()
    return (today.replace(day=1) + timedelta(days=32)).replace(day=1)


def _slogan_font() -> QFont:
    font = _font("hero", 32)
    font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, _TIGHT)
    return font


def _font(role: Role, pixels: int) -> QFont:
    font = theme.current().font(role)
    font.setPixelSize(pixels)
    return font
