"""Paints the agenda's rows: time, account, words and state of a post in one line."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPainter

from app.desktop.calendar.cards import FADED_PICTURE, KIND_ICONS, CardPainter, FindAccount, Ring, paint_tile
from app.desktop.calendar.looks import DRESSES, STATUS_WORDS, Dress, Look
from app.desktop.calendar.parts import TILE
from app.desktop.calendar.placement import Box
from app.desktop.calendar.text import TextFitter
from app.desktop.theme import icons, theme
from app.desktop.widgets.painting import draw_icon, rounded
from app.language import sentence_start, tr
from app.workspace.accounts.account import Account
from app.workspace.posts.planned import PlannedPost

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_GLYPH = 14
_STATE = 14
_TIME_LEFT = 14
_GLYPH_LEFT = 62
_ACCOUNT = 170
_STATE_WORDS = 150
_SHORTEST_REASON = 60
_AROUND_PICTURE = 6
_NO_TEXT = tr("No text")
_STATES = {look: sentence_start(told.partition(",")[0]) for look, told in STATUS_WORDS.items()}
_NARROW = 560
"""In narrower rows the state has its glyph only, and the account its glyph."""


class RowPainter:
    """Paints posts as rows, in the theme that was in force when it was made."""

    def __init__(self, cards: CardPainter, find_account: FindAccount) -> None:
        self._cards = cards
        self._find_account = find_account
        self._theme = theme.current()
        self._text = TextFitter(self._theme.font("text"))
        self._quiet = TextFitter(self._theme.font("card"))
        self._time = self._theme.font("clock", QFont.Weight.Medium)
        self._struck = QFont(self._text.font)
        self._struck.setStrikeOut(True)
        clock = TextFitter(self._time).width("00:00A")
        self._glyph_left = max(_GLYPH_LEFT, round(_TIME_LEFT + clock) + 5)
        self._text_left = self._glyph_left + _GLYPH + 10

    def paint(self, painter: QPainter, post: PlannedPost, box: Box, now: int) -> None:
        """Paints one row at ``box``; ``now`` (milliseconds) tells past from future."""
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # as time runs in the calendar
        look = self._cards.look(post, now)
        dress, row = DRESSES[look], QRectF(*box)
        account = self._find_account(post.account_key)
        self._paint_ground(painter, row, dress, account.color_index if account else 0)
        self._write(
            painter, row, _TIME_LEFT, self._glyph_left, self._time, dress.quiet, self._cards.time(post)
        )
        self._paint_glyph(painter, row, post, dress, account)
        right = self._paint_state(painter, row, look)
        role = "text3" if dress.faded else "text2"
        if row.width() >= self._theme.grown(_NARROW):
            right = self._paint_account(painter, row, right, account, role)
        right = self._paint_picture(painter, row, right, post, dress)
        self._write_words(painter, row, right - 8, post, dress)

    def paint_ring(self, painter: QPainter, post: PlannedPost, box: Box, now: int) -> None:
        """Paints the ring of a chosen row; the account's bar stays in it."""
        self._cards.paint_ring(painter, post, box, now, painter.device().devicePixelRatioF(), Ring("accent"))

    def _paint_ground(self, painter: QPainter, row: QRectF, dress: Dress, color_index: int) -> None:
        radius = self._theme.metrics.radius_card
        rounded(painter, row, radius, fill=dress.fill, line=dress.line, dashed=dress.dashed)
        self._cards.paint_bar(painter, row, color_index, faded=dress.faded)

    def _paint_glyph(
        self, painter: QPainter, row: QRectF, post: PlannedPost, dress: Dress, account: Account | None
    ) -> None:
        index = account.color_index if account else 0
        tint = dress.quiet if dress.faded else self._theme.tokens.account(index)
        name = f"brand:{post.platform}" if str(post.platform) in icons.BRANDS else "hash"
        draw_icon(painter, _square(row, self._glyph_left, _GLYPH), name, tint)

    def _paint_state(self, painter: QPainter, row: QRectF, look: Look) -> float:
        """State and, where there is room, its words; gives the edge that is left."""
        dress = DRESSES[look]
        has_words = row.width() >= self._theme.grown(_NARROW)
        left = row.width() - (self._theme.grown(_STATE_WORDS) if has_words else 12 + _STATE)
        if dress.glyph:
            draw_icon(painter, _square(row, left, _STATE), dress.glyph, dress.glyph_color)
        if has_words:
            role = dress.glyph_color if look in (Look.FAILED, Look.MAY_BE_LIVE) else "text3"
            text_left, room = left + _STATE + 7, self._theme.grown(_STATE_WORDS) - _STATE - 14
            shown = self._quiet.elided(_STATES[look], room)
            self._write(painter, row, text_left, room, self._quiet.font, role, shown)
        return left - 8

    def _paint_account(
        self, painter: QPainter, row: QRectF, right: float, account: Account | None, role: str
    ) -> float:
        if account is None:
            return right
        left = right - self._theme.grown(_ACCOUNT)
        name = tr("{name} (practice)", name=account.name) if account.practice else account.name
        shown = self._quiet.elided(name, self._theme.grown(_ACCOUNT) - 8)
        self._write(painter, row, left, self._theme.grown(_ACCOUNT) - 8, self._quiet.font, role, shown)
        return left - 8

    def _paint_picture(
        self, painter: QPainter, row: QRectF, right: float, post: PlannedPost, dress: Dress
    ) -> float:
        """The picture of the post's file, or the sign of its kind."""
        if post.post_type not in KIND_ICONS:
            return right
        edge = min(TILE, round(row.height()) - _AROUND_PICTURE)
        tile = _square(row, right - edge - 10, edge)
        picture = self._cards.find_picture(post, painter.device().devicePixelRatioF())
        if picture is None:
            paint_tile(painter, tile, post.post_type)
        else:
            painter.setOpacity(FADED_PICTURE if dress.faded else 1)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawPixmap(tile, picture, QRectF(picture.rect()))
            painter.setOpacity(1)
        return right - edge - 10

    def _write_words(
        self, painter: QPainter, row: QRectF, right: float, post: PlannedPost, dress: Dress
    ) -> None:
        """The headline, and behind it why a post failed."""
        room = right - self._text_left
        headline = self._text.elided(post.headline or _NO_TEXT, room)
        font = self._struck if dress.struck else self._text.font
        self._write(painter, row, self._text_left, room, font, dress.text, headline)
        left = self._text_left + self._text.width(headline) + 14
        if post.reason and right - left > self._theme.grown(_SHORTEST_REASON):
            reason = self._quiet.elided(post.reason, right - left)
            self._write(painter, row, left, right - left, self._quiet.font, dress.glyph_color, reason)

    def _write(
        self, painter: QPainter, row: QRectF, left: float, width: float, font: QFont, role: str, text: str
    ) -> None:
        painter.setFont(font)
        painter.setPen(self._theme.color(role))
        painter.drawText(QRectF(row.x() + left, row.y(), width, row.height()), _LEFT, text)


def _square(row: QRectF, left: float, size: int) -> QRectF:
    return QRectF(row.x() + left, row.y() + (row.height() - size) / 2, size, size)
