"""Paints cards. What many cards share (ground, account bar, glyphs) is painted once and kept."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPixmap

from app.contract.enums import PostType
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.looks import DRESSES, Dress, Look, look_of
from app.desktop.calendar.placement import Box, CardStyle
from app.desktop.calendar.text import TextFitter
from app.desktop.theme import icons, theme
from app.desktop.theme.tokens import mix
from app.desktop.widgets.painting import draw_icon, rounded
from app.workspace.accounts.account import Account
from app.workspace.posts.planned import PlannedPost

BAR = 3
GLYPH = 12
TILE = 34
_LEFT = 9
_TIME_LEFT = 25
_RIGHT = 7
_HEAD = 12
"""Height of the middle of a card's first line."""

_MOST_TEMPLATES = 512
_TILE_FROM = 110
"""Narrower cards have no room for a tile."""

FindAccount = Callable[[str], Account | None]


@dataclass(frozen=True, slots=True)
class _Template:
    width: int
    height: int
    look: Look
    platform: str
    color_index: int
    practice: bool
    ratio: float


class CardPainter:
    """Paints posts in the theme that was in force when it was made."""

    def __init__(self, days: LocalDays, find_account: FindAccount) -> None:
        self._days = days
        self._find_account = find_account
        self._theme = theme.current()
        self._text = TextFitter(self._theme.font("card"))
        self._small = TextFitter(self._theme.font("small"))
        self._struck = QFont(self._text.font)
        self._struck.setStrikeOut(True)
        self._reason = QFont(self._theme.font("small"))
        self._reason.setWeight(QFont.Weight.Medium)
        self.number_font = self._theme.font("card", QFont.Weight.Medium)
        self.today_font = self._theme.font("card", QFont.Weight.DemiBold)
        self._templates: dict[_Template, QPixmap] = {}
        self._times: dict[int, str] = {}
        self._time_width = self._small.width("00:00")

    @property
    def small_font(self) -> QFont:
        """The font of quiet facts."""
        return self._small.font

    def color(self, role: str) -> QColor:
        """A colour of the theme this painter paints in."""
        return self._theme.color(role)

    def text_lines(self, headline: str, cell_width: int) -> int:
        """How many lines a headline takes in a tall card of a cell."""
        return len(self._text.lines(headline, cell_width - 10 - _LEFT - _RIGHT, 2))

    def paint(
        self, painter: QPainter, post: PlannedPost, box: Box, style: CardStyle, now: int, ratio: float
    ) -> None:
        """Paints one card at ``box``; ``now`` (milliseconds) tells past from future."""
        look = look_of(post, now)
        dress = DRESSES[look]
        painter.drawPixmap(box.x, box.y, self._template(post, box, look, ratio))
        self._paint_time(painter, post, box, dress)
        if style is CardStyle.LINE:
            self._paint_line(painter, post, box, dress)
        else:
            self._paint_lines(painter, post, box, look)

    def _paint_time(self, painter: QPainter, post: PlannedPost, box: Box, dress: Dress) -> None:
        painter.setFont(self._small.font)
        painter.setPen(self._theme.color(dress.quiet))
        middle = box.y + (_HEAD if box.height > 24 else box.height / 2)
        painter.drawText(QPointF(box.x + _TIME_LEFT, middle + self._small.ascent * 0.37), self.time(post))

    def time(self, post: PlannedPost) -> str:
        """The time of day on a card."""
        minute = self._days.place(post.at).minute
        known = self._times.get(minute)
        if known is None:
            known = self._times[minute] = f"{minute // 60:02}:{minute % 60:02}"
        return known

    def _paint_line(self, painter: QPainter, post: PlannedPost, box: Box, dress: Dress) -> None:
        left = _TIME_LEFT + self._time_width + 6
        right = _RIGHT + (18 if dress.glyph else 0) + (16 if self._is_practice(post) else 0)
        shown = self._text.elided(post.headline, box.width - left - right)
        self._draw(painter, shown, box.x + left, box.y + box.height / 2 + self._text.ascent * 0.37, dress)

    def _paint_lines(self, painter: QPainter, post: PlannedPost, box: Box, look: Look) -> None:
        dress = DRESSES[look]
        room = box.width - _LEFT - _RIGHT
        if post.post_type is not PostType.TEXT and box.width >= _TILE_FROM:
            room -= TILE + 6
            self._paint_tile(painter, post, box)
        lines = 2 if box.height > 44 else 1
        if post.reason and look in (Look.FAILED, Look.MAY_BE_LIVE) and lines == 2:
            shown = (*self._text.lines(post.headline, room, 1), "")
            self._paint_reason(painter, post, box, look, room)
        else:
            shown = self._text.lines(post.headline, room, lines)
        for number, line in enumerate(shown):
            self._draw(
                painter, line, box.x + _LEFT, box.y + 24 + number * 15 + self._text.ascent * 0.8, dress
            )

    def _paint_reason(self, painter: QPainter, post: PlannedPost, box: Box, look: Look, room: int) -> None:
        words = "May be live: check" if look is Look.MAY_BE_LIVE else post.reason
        painter.setFont(self._reason)
        painter.setPen(self._theme.color(DRESSES[look].glyph_color))
        shown = self._small.elided(words, room)
        painter.drawText(QPointF(box.x + _LEFT, box.y + 39 + self._small.ascent * 0.8), shown)

    def _paint_tile(self, painter: QPainter, post: PlannedPost, box: Box) -> None:
        tile = QRectF(box.x + box.width - _RIGHT + 1 - TILE, box.y + (box.height - TILE) / 2, TILE, TILE)
        rounded(painter, tile, 4, fill="sunken", line="line2")
        name = "play" if post.post_type is PostType.VIDEO else "image"
        draw_icon(painter, tile.adjusted(10, 10, -10, -10), name, "text3")

    def _draw(self, painter: QPainter, text: str, x: float, y: float, dress: Dress) -> None:
        painter.setFont(self._struck if dress.struck else self._text.font)
        painter.setPen(self._theme.color(dress.text))
        painter.drawText(QPointF(x, y), text)

    def _is_practice(self, post: PlannedPost) -> bool:
        account = self._find_account(post.account_key)
        return account is not None and account.practice

    def _template(self, post: PlannedPost, box: Box, look: Look, ratio: float) -> QPixmap:
        account = self._find_account(post.account_key)
        wanted = _Template(
            width=box.width,
            height=box.height,
            look=look,
            platform=str(post.platform),
            color_index=account.color_index if account else 0,
            practice=account.practice if account else False,
            ratio=ratio,
        )
        known = self._templates.get(wanted)
        if known is None:
            if len(self._templates) >= _MOST_TEMPLATES:
                self._templates.clear()
            known = self._templates[wanted] = self._render(wanted)
        return known

    def _render(self, wanted: _Template) -> QPixmap:
        pixmap = QPixmap(round(wanted.width * wanted.ratio), round(wanted.height * wanted.ratio))
        pixmap.setDevicePixelRatio(wanted.ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        dress = DRESSES[wanted.look]
        card = QRectF(0, 0, wanted.width, wanted.height)
        radius = self._theme.metrics.radius_card
        rounded(painter, card, radius, fill=dress.fill, line=dress.line, dashed=dress.dashed)
        self._paint_bar(painter, card, radius, wanted, dress)
        self._paint_marks(painter, card, wanted, dress)
        painter.end()
        return pixmap

    def _paint_bar(
        self, painter: QPainter, card: QRectF, radius: int, wanted: _Template, dress: Dress
    ) -> None:
        path = QPainterPath()
        path.addRoundedRect(card, radius, radius)
        painter.setClipPath(path)
        painter.fillRect(QRectF(0, 0, BAR, card.height()), self._theme.color(self._bar(wanted, dress)))
        painter.setClipping(False)

    def _bar(self, wanted: _Template, dress: Dress) -> str:
        color = self._theme.tokens.account(wanted.color_index)
        return mix(color, self._theme.tokens.surface, 0.5) if dress.faded else color

    def _paint_marks(self, painter: QPainter, card: QRectF, wanted: _Template, dress: Dress) -> None:
        middle = _HEAD if card.height() > 24 else card.height() / 2
        tint = dress.quiet if dress.faded else self._theme.tokens.account(wanted.color_index)
        name = f"brand:{wanted.platform}" if wanted.platform in icons.BRANDS else "hash"
        draw_icon(painter, QRectF(_LEFT, middle - GLYPH / 2, GLYPH, GLYPH), name, tint)
        right = card.width() - _RIGHT
        if dress.glyph:
            draw_icon(painter, QRectF(right - 13, middle - 6.5, 13, 13), dress.glyph, dress.glyph_color)
            right -= 18
        if wanted.practice:
            self._paint_practice(painter, QRectF(0, middle - 7, right, 14))

    def _paint_practice(self, painter: QPainter, line: QRectF) -> None:
        """A tag in words where the first line has room, else the flask that stands for it."""
        width = self._small.width("practice") * 0.9 + 8
        if line.right() - _TIME_LEFT - self._time_width - 6 < width or line.top() < 1:
            draw_icon(painter, QRectF(line.right() - 12, line.top() + 1, 12, 12), "flask-conical", "text3")
            return
        tag = QRectF(line.right() - width, line.top(), width, 14)
        rounded(painter, tag, 3, line="line_strong", dashed=True)
        font = QFont(self._small.font)
        font.setPixelSize(max(8, font.pixelSize() - 1))
        painter.setFont(font)
        painter.setPen(self._theme.color("text3"))
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, "practice")
