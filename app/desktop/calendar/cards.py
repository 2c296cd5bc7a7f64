"""Paints cards. What many cards share (background, account bar, icons) is painted once and cached."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import NamedTuple, Protocol

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QPixmap

from app.contract.enums import PostType
from app.desktop.calendar.account_marks import AccountMark, marks_of, paint_marks
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.looks import (
    DRESSES,
    LINE_PITCH,
    SMALL_TILE,
    TIGHT_WORDS,
    Dress,
    Look,
    Parts,
    Sizes,
    Wanted,
    arrange,
    arrange_quiet,
    is_quiet,
    look_of,
    note_of,
    short_note_of,
)
from app.desktop.calendar.picture_painting import KIND_ICONS, paint_picture, paint_tile
from app.desktop.calendar.placement import Box, CardStyle
from app.desktop.theme import theme
from app.desktop.theme.tokens import mix
from app.desktop.widgets.painting import draw_icon, rounded, translucent
from app.desktop.widgets.text import ELLIPSIS, TextFitter
from app.language import number, tr, trn
from app.workspace.accounts.account import Account
from app.workspace.posts.planned import PlannedPost

_BAR = 3
_MOST_TEMPLATES = 512

_MOST_LINES = 2
"""Maximum number of text lines in a tall card, without its note."""

_NEW = Dress("surface", "accent", "accent", "accent", dashed=True)
_PRACTICE, _SAMPLE = tr("practice"), tr("sample")
_NOTHING_ELSE = Wanted(tile=False, state=False, practice=False, note=False)

FindAccount = Callable[[str], Account | None]
IsAtRisk = Callable[[str], bool]
"""Returns whether there is a warning about a post, by its key."""


class FindPicture(Protocol):
    """Returns the picture of a post's file in one of two sizes; None if not loaded."""

    def __call__(self, post: PlannedPost, ratio: float, *, small: bool = False) -> QPixmap | None: ...


def no_picture(post: PlannedPost, ratio: float, *, small: bool = False) -> None:
    """Return None: no post has a picture."""
    del post, ratio, small


FindMembers = Callable[[PlannedPost], Sequence[PlannedPost]]
"""Returns the posts that share a card, including the card's post."""


def alone(post: PlannedPost) -> Sequence[PlannedPost]:
    """Return only the post itself: every post has its own card."""
    return (post,)


FindResult = Callable[[Sequence[PlannedPost]], str]
"""Returns the result of published posts in a few characters, such as ``12.9k``; empty if unknown."""


def no_result(_posts: Sequence[PlannedPost]) -> str:
    """Return "": no result is known."""
    return ""


def never(_key: str) -> bool:
    """Return False: no post is at risk."""
    return False


@dataclass(frozen=True, slots=True)
class _Template:
    """Everything that determines the picture below a card's text."""

    width: int
    height: int
    look: Look
    marks: tuple[AccountMark, ...]
    kind: PostType
    is_sample: bool
    wanted: Wanted
    pictured: bool
    quiet: bool
    ratio: float


class Ring(NamedTuple):
    """A ring in a colour role; ``tint`` is the opacity of that colour over the card."""

    role: str
    tint: float = 0.0


class Line(NamedTuple):
    """A text with its position and style."""

    writer: TextFitter
    pen: QPen
    left: float
    baseline: float
    text: str

    def write(self, painter: QPainter, x: float = 0, y: float = 0) -> None:
        """Write it at an offset from its place."""
        painter.setPen(self.pen)
        self.writer.write(painter, x + self.left, y + self.baseline, self.text)


_RingKey = tuple[int, int, Ring, tuple[int, ...], bool, float]
"""Width, height, ring, the accounts' colours, whether those are faded, and the device pixel ratio."""


class CardPainter:
    """Paints posts in the theme at its creation."""

    def __init__(
        self,
        days: LocalDays,
        find_account: FindAccount,
        is_at_risk: IsAtRisk = never,
        find_picture: FindPicture = no_picture,
        find_result: FindResult = no_result,
        find_members: FindMembers = alone,
    ) -> None:
        self.find_picture = find_picture
        self.find_members = find_members
        self.find_result = find_result
        self._days = days
        self._find_account = find_account
        self._is_at_risk = is_at_risk
        self._theme = theme.current()
        self._text = TextFitter(self._theme.font("card"))
        self._small = TextFitter(self._theme.font("figures"))
        self._name = TextFitter(self._theme.font("small"))
        struck = QFont(self._text.font)
        struck.setStrikeOut(True)
        self._struck = TextFitter(struck)
        self._note = TextFitter(self._theme.font("small", QFont.Weight.Medium))
        self._tag = QFont(self._small.font)
        self._tag.setPixelSize(max(8, self._tag.pixelSize() - 1))
        self.number = TextFitter(self._theme.font("card", QFont.Weight.Medium))
        self.today_number = TextFitter(self._theme.font("card", QFont.Weight.DemiBold))
        self._templates: dict[_Template, QPixmap] = {}
        self._rings: dict[_RingKey, QPixmap] = {}
        self._colors: dict[str, QColor] = {}
        self._pens: dict[str, QPen] = {}
        self._bar_colors: dict[tuple[int, bool], QColor] = {}
        tag = max(TextFitter(self._tag).width(word) for word in (_PRACTICE, _SAMPLE)) + 8
        self.scale = max(1.0, self._theme.scale)
        self._pitch = round(LINE_PITCH * self.scale)
        widths = (self._small.width("00:00"), tag, self._small.width("A"))
        self._sizes = Sizes(*(ceil(width / self.scale) for width in widths))

    @property
    def small(self) -> TextFitter:
        """Write secondary facts."""
        return self._small

    def color(self, role: str) -> QColor:
        """Return a colour of this painter's theme; the object is shared, so don't modify it."""
        known = self._colors.get(role)
        if known is None:
            known = self._colors[role] = self._theme.color(role)
        return known

    def pen(self, role: str) -> QPen:
        """Return a pen for text in a colour of this painter's theme."""
        known = self._pens.get(role)
        if known is None:
            known = self._pens[role] = QPen(self.color(role))
        return known

    def text_lines(self, post: PlannedPost, width: int, height: int) -> int:
        """Return how many lines a post's text and note take in a card of this size at 100 %."""
        look = self.look(post, post.at)
        note = note_of(post, look, CardStyle.TALL)
        parts = arrange(width, height, self._wanted(post, look, note), self._sizes)
        room, noted = round(parts.text.width * self.scale), bool(note)
        most = min(_MOST_LINES, parts.lines - noted)
        return max(1, len(self._text.lines(post.headline, room, max(1, most)))) + noted

    def is_quiet(self, post: PlannedPost, now: int) -> bool:
        """Whether a line without a card is enough for a post at an instant (ms)."""
        return is_quiet(post, self.look(post, now), now)

    def paint(
        self,
        painter: QPainter,
        post: PlannedPost,
        box: Box,
        style: CardStyle,
        now: int,
        ratio: float,
        *,
        timed: bool = True,
    ) -> None:
        """Paint one card at ``box``; ``now`` (ms) separates past and future."""
        if style is CardStyle.QUIET:
            self._paint_quiet(painter, post, box, now, ratio)
            return
        look = self.look(post, now)
        note = note_of(post, look, style)
        wanted = self._wanted(post, look, note)
        parts = self._arranged(box.width, box.height, wanted)
        picture = self._picture(post, parts, ratio)
        ground = self._template(post, box, look, wanted, ratio, pictured=picture is not None)
        painter.drawPixmap(box.x, box.y, ground)
        if picture is not None and parts.tile is not None:
            place = QRectF(*parts.tile.moved(box.x, box.y))
            faded, radius = DRESSES[look].faded, self._theme.metrics.radius_card - 1
            paint_picture(painter, place, picture, radius, faded=faded, flush=True)
        if timed:
            self._write_time(painter, post, box, parts, DRESSES[look])
        note = self._fitting(note, look, parts.text.width)
        self._write_text(painter, post, box, parts, DRESSES[look], note)
        self._write_name(painter, post, box, parts, DRESSES[look])

    def _paint_quiet(self, painter: QPainter, post: PlannedPost, box: Box, now: int, ratio: float) -> None:
        """Paint a line without a card: a published post, and its result."""
        look, result = self.look(post, now), self.find_result(self.find_members(post))
        width = ceil(self._small.width(result) / self.scale) if result else 0
        wanted = self._wanted(post, look, "")._replace(tile=False, result=width)
        parts = self._quietly_arranged(box.width, box.height, wanted)
        ground = self._template(post, box, look, wanted, ratio, pictured=False, quiet=True)
        painter.drawPixmap(box.x, box.y, ground)
        self._write_time(painter, post, box, parts, DRESSES[look])
        if parts.text.width < TIGHT_WORDS * self.scale and not DRESSES[look].struck:
            painter.setPen(self.pen(DRESSES[look].text))
            start = self._name.start(post.headline, parts.text.width)
            self._write(painter, self._name, box, parts.text, start)
        else:
            self._write_text(painter, post, box, parts, DRESSES[look], "")
        if parts.result is not None:
            painter.setPen(self.pen("text2"))
            self._write(painter, self._small, box, parts.result, result)

    def sketch(self, painter: QPainter, post: PlannedPost, box: Box, now: int) -> None:
        """Paint only a card's background and its account's colour."""
        dress = DRESSES[self.look(post, now)]
        bar = self._bar_color(self.marks(post)[0].color_index, faded=dress.faded)
        painter.fillRect(box.x, box.y, box.width, box.height, self.color(dress.fill))
        painter.fillRect(box.x, box.y, _BAR, box.height, bar)

    def time_line(self, post: PlannedPost, box: Box, style: CardStyle, now: int) -> Line | None:
        """Return the time of a card that was painted without its time; None if it doesn't fit."""
        look = self.look(post, now)
        wanted = self._wanted(post, look, note_of(post, look, style))
        parts = self._arranged(box.width, box.height, wanted)
        return self._time_line(post, box, parts, DRESSES[look])

    def paint_new(self, painter: QPainter, post: PlannedPost, box: Box, count: int) -> None:
        """Paint the card of posts that are being written; a narrow one only shows how many there are."""
        parts = self._arranged(box.width, box.height, _NOTHING_ELSE)
        radius = self._theme.metrics.radius_card
        rounded(painter, QRectF(*box), radius, fill="surface", line="accent", dashed=True)
        draw_icon(painter, QRectF(*parts.glyph.moved(box.x, box.y)), "pencil", "accent")
        self._write_time(painter, post, box, parts, _NEW)
        lines = self._text.lines(post.headline, parts.text.width, self._lines_in(parts.text))
        if any(line.endswith(ELLIPSIS) for line in lines):
            post = post._replace(headline=number(count))
        self._write_text(painter, post, box, parts, _NEW, "")

    def paint_ring(
        self, painter: QPainter, post: PlannedPost, box: Box, now: int, ratio: float, ring: Ring
    ) -> None:
        """Paint a ring around a card; the account's bar stays inside."""
        faded = DRESSES[self.look(post, now)].faded
        key = (box.width, box.height, ring, _colors(self.marks(post)), faded, ratio)
        known = self._rings.get(key)
        if known is None:
            if len(self._rings) >= _MOST_TEMPLATES:
                self._rings.clear()
            known = self._rings[key] = self._render_ring(*key)
        painter.drawPixmap(box.x, box.y, known)

    def paint_bar(self, painter: QPainter, card: QRectF, colors: Sequence[int], *, faded: bool) -> None:
        """Paint the bar at the edge of a card or a row, with a part in each account's colour (indices)."""
        radius, height = self._theme.metrics.radius_card, card.height() / len(colors)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for place, color in enumerate(colors):
            part = QRectF(card.x(), card.y() + place * height, _BAR, height)
            painter.save()
            painter.setClipRect(part, Qt.ClipOperation.IntersectClip)
            painter.setBrush(self._bar_color(color, faded=faded))
            painter.drawRoundedRect(card, radius, radius)
            painter.restore()
        painter.restore()

    def _bar_color(self, color_index: int, *, faded: bool) -> QColor:
        known = self._bar_colors.get((color_index, faded))
        if known is None:
            color = self._theme.tokens.account(color_index)
            color = mix(color, self._theme.tokens.surface, 0.5) if faded else color
            known = self._bar_colors[color_index, faded] = self.color(color)
        return known

    def marks(self, post: PlannedPost) -> tuple[AccountMark, ...]:
        """Return the accounts of a card."""
        return marks_of(self.find_members(post), self._find_account)

    def look(self, post: PlannedPost, now: int) -> Look:
        """Return the look of a post at an instant (ms)."""
        return look_of(post, now, at_risk=self._is_at_risk(post.key))

    def time(self, post: PlannedPost) -> str:
        """Return the time of day for a card."""
        return self._days.clock(post.at)

    def _arranged(self, width: int, height: int, wanted: Wanted) -> Parts:
        """Return the parts of a card of a size, at the current text size."""
        scale = self.scale
        return arrange(round(width / scale), round(height / scale), wanted, self._sizes).scaled(scale)

    def _quietly_arranged(self, width: int, height: int, wanted: Wanted) -> Parts:
        scale = self.scale
        size = round(width / scale), round(height / scale)
        return arrange_quiet(*size, wanted, self._sizes).scaled(scale)

    def _picture(self, post: PlannedPost, parts: Parts, ratio: float) -> QPixmap | None:
        if parts.tile is None or not parts.is_framed:
            return None
        return self.find_picture(post, ratio, small=parts.tile.width <= SMALL_TILE)

    def _write_time(self, painter: QPainter, post: PlannedPost, box: Box, parts: Parts, dress: Dress) -> None:
        line = self._time_line(post, box, parts, dress)
        if line is not None:
            line.write(painter)

    def _time_line(self, post: PlannedPost, box: Box, parts: Parts, dress: Dress) -> Line | None:
        if not parts.time.width:
            return None
        # If the glyph of a state doesn't fit, the time's colour shows the state.
        is_lost = bool(dress.glyph) and parts.state is None
        pen = self.pen(dress.glyph_color if is_lost else dress.quiet)
        left, baseline = box.x + parts.time.x, box.y + _baseline(self._small, parts.time)
        return Line(self._small, pen, left, baseline, self.time(post))

    def _fitting(self, note: str, look: Look, room: float) -> str:
        """Return the note of a card, or fewer words where they would be cut."""
        return note if self._note.width(note) <= room else short_note_of(look)

    def _write_text(
        self, painter: QPainter, post: PlannedPost, box: Box, parts: Parts, dress: Dress, note: str
    ) -> None:
        if parts.text.width < self._pitch:
            return
        place, lines = parts.text._replace(height=self._pitch), self._lines_in(parts.text)
        writer = self._struck if dress.struck else self._text
        painter.setPen(self.pen(dress.text))
        has_note = bool(note) and lines > 1
        for line in self._text.lines(post.headline, parts.text.width, lines - has_note):
            if line != ELLIPSIS:  # alone, it says nothing
                self._write(painter, writer, box, place, line)
            place = place.moved(0, self._pitch)
        if has_note:
            painter.setPen(self.pen(dress.glyph_color))
            self._write(painter, self._note, box, place, self._note.elided(note, place.width))

    def _lines_in(self, text: Box) -> int:
        return max(1, round(text.height / self._pitch))

    def _write_name(self, painter: QPainter, post: PlannedPost, box: Box, parts: Parts, dress: Dress) -> None:
        """Write the account's name, or the number of accounts, into a wide card."""
        name = self.account_name(post) if parts.name is not None else ""
        if name and parts.name is not None:
            painter.setPen(self.pen(dress.quiet))
            self._write(painter, self._name, box, parts.name, self._name.elided(name, parts.name.width))

    def accounts(self, post: PlannedPost) -> list[Account]:
        """Return the known accounts of a card."""
        found = (self._find_account(one.account_key) for one in self.find_members(post))
        return [account for account in found if account is not None]

    def account_name(self, post: PlannedPost) -> str:
        """Return the name of a card's account, or how many accounts there are; empty if it's unknown."""
        if (count := len(self.find_members(post))) > 1:
            return trn("{n} account", "{n} accounts", count)
        accounts = self.accounts(post)
        return accounts[0].name if accounts else ""

    @staticmethod
    def _write(painter: QPainter, writer: TextFitter, box: Box, line: Box, text: str) -> None:
        writer.write(painter, box.x + line.x, box.y + _baseline(writer, line), text)

    def _wanted(self, post: PlannedPost, look: Look, note: str) -> Wanted:
        accounts = self.accounts(post)
        is_sample = any(account.is_sample for account in accounts)
        return Wanted(
            tile=post.post_type in KIND_ICONS and not is_sample,  # it has no file, and its tag needs the room
            state=bool(DRESSES[look].glyph),
            practice=is_sample or any(account.practice for account in accounts),
            note=bool(note),
            letter=bool(self._days.letter(post.at)),
            accounts=len(self.find_members(post)),
        )

    def _template(
        self,
        post: PlannedPost,
        box: Box,
        look: Look,
        wanted: Wanted,
        ratio: float,
        *,
        pictured: bool,
        quiet: bool = False,
    ) -> QPixmap:
        key = _Template(
            width=box.width,
            height=box.height,
            look=look,
            marks=self.marks(post),
            kind=post.post_type,
            is_sample=any(account.is_sample for account in self.accounts(post)),
            wanted=wanted,
            pictured=pictured,
            quiet=quiet,
            ratio=ratio,
        )
        known = self._templates.get(key)
        if known is None:
            if len(self._templates) >= _MOST_TEMPLATES:
                self._templates.clear()
            known = self._templates[key] = self._render(key)
        return known

    def _render(self, key: _Template) -> QPixmap:
        pixmap = _clear_pixmap(key.width, key.height, key.ratio)
        painter = QPainter(pixmap)
        if key.quiet:
            self._paint_marks(painter, key, self._quietly_arranged(key.width, key.height, key.wanted))
            painter.end()
            return pixmap
        dress = DRESSES[key.look]
        card = QRectF(0, 0, key.width, key.height)
        radius = self._theme.metrics.radius_card
        rounded(painter, card, radius, fill=dress.fill, line=dress.line, dashed=dress.dashed)
        self.paint_bar(painter, card, _colors(key.marks), faded=dress.faded)
        self._paint_marks(painter, key, self._arranged(key.width, key.height, key.wanted))
        painter.end()
        return pixmap

    def _render_ring(
        self, width: int, height: int, ring: Ring, colors: Sequence[int], faded: bool, ratio: float
    ) -> QPixmap:
        pixmap = _clear_pixmap(width, height, ratio)
        painter = QPainter(pixmap)
        card, radius = QRectF(0, 0, width, height), self._theme.metrics.radius_card
        if ring.tint:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(translucent(self.color(ring.role), ring.tint))
            painter.drawRoundedRect(card, radius, radius)
        rounded(painter, card, radius, line=ring.role, width=2)
        self.paint_bar(painter, card, colors, faded=faded)
        painter.end()
        return pixmap

    def _paint_marks(self, painter: QPainter, key: _Template, parts: Parts) -> None:
        dress = DRESSES[key.look]
        fill = "" if key.quiet else dress.fill
        tint = partial(self.tint, dress)
        paint_marks(painter, parts.glyph, parts.circles, key.marks, tint, self._tag, fill=fill)
        if parts.state:
            draw_icon(painter, QRectF(*parts.state), dress.glyph, dress.glyph_color)
        if parts.tile and not key.pictured:
            paint_tile(painter, QRectF(*parts.tile), key.kind, flush=parts.is_framed)
        if parts.tag:
            self._paint_tag(painter, parts.tag, _SAMPLE if key.is_sample else _PRACTICE)

    def tint(self, dress: Dress, color_index: int) -> str:
        """Return the colour of an account's glyph on a card."""
        return dress.quiet if dress.faded else self._theme.tokens.account(color_index)

    def _paint_tag(self, painter: QPainter, tag: Box, word: str) -> None:
        """Paint the tag's text if it fits, else its icon, a flask."""
        if tag.width < round(self._sizes.tag * self.scale) - 1:
            draw_icon(painter, QRectF(*tag), "flask-conical", "text3")
            return
        rounded(painter, QRectF(*tag), 3, line="text3", dashed=True)
        painter.setFont(self._tag)
        painter.setPen(self.color("text3"))
        painter.drawText(QRectF(*tag), Qt.AlignmentFlag.AlignCenter, word)


def _colors(marks: Sequence[AccountMark]) -> tuple[int, ...]:
    return tuple(mark.color_index for mark in marks)


def _baseline(writer: TextFitter, line: Box) -> float:
    """Return the baseline of a text whose capitals are centred in a line of a card."""
    return line.y + line.height / 2 + writer.ascent * 0.37


def _clear_pixmap(width: int, height: int, ratio: float) -> QPixmap:
    pixmap = QPixmap(round(width * ratio), round(height * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    return pixmap
