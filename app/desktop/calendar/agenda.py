"""The agenda: days as rows, each as high as its posts, with free days in between."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import accumulate, pairwise

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFont, QPainter

from app.desktop import words
from app.desktop.calendar import moves
from app.desktop.calendar.account_marks import AccountMark, paint_marks
from app.desktop.calendar.cards import CardPainter, Ring
from app.desktop.calendar.days import LocalDays, date_name, weekday_name
from app.desktop.calendar.looks import DRESSES, STATUS_WORDS, Dress, Look, account_boxes, is_quiet
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.moves import Target
from app.desktop.calendar.page import Page
from app.desktop.calendar.picture_painting import KIND_ICONS, paint_picture, paint_tile
from app.desktop.calendar.placement import Box, CardStyle, DayLayout, PlacedCard
from app.desktop.calendar.tiles import Budget
from app.desktop.theme import theme
from app.desktop.widgets.painting import draw_icon, rounded
from app.desktop.widgets.text import TextFitter
from app.language import sentence_start, tr, trn
from app.workspace.advice import brief_reason_of
from app.workspace.posts.planned import PlannedPost
from app.workspace.time.wall import MINUTES_PER_DAY

ROW_HEIGHT = 40
ROW_GAP = 4
_DAY_COLUMN = 164
_NARROW_DAY_COLUMN = 124
_NARROW_PAGE = 480
"""Width below which the dates leave more room to the posts."""

_PADDING = 8
_RIGHT = 12
_EMPTY_HEIGHT = 32
_LONGEST_GAP = 21
"""Longest gap of days without posts that is shown in full; for longer ones, only the first week is."""

_WEEK = 7
_LAST_DAY = date.max.toordinal()
_AHEAD = 14
"""Number of days shown after the last post."""


def days_to_show(with_posts: Sequence[int], today: int) -> list[int]:
    """Return the days of an agenda: those with posts (sorted), today, and the free ones around them."""
    marks = sorted({*with_posts, today})
    shown: list[int] = []
    for day, following in pairwise(marks):
        gap = following - day - 1
        shown += range(day, following if gap <= _LONGEST_GAP else day + _WEEK + 1)
    return [*shown, *range(marks[-1], min(marks[-1] + _AHEAD, _LAST_DAY + 1))]


@dataclass(frozen=True, slots=True)
class AgendaGeometry:
    """Days as rows; ``tops`` has one more entry than days: the height of the canvas."""

    width: int
    days: tuple[int, ...]
    tops: tuple[int, ...]

    @property
    def content_width(self) -> int:
        return self.width

    @property
    def content_height(self) -> int:
        return self.tops[-1]

    def cell(self, day: int) -> Box:
        """Return a day's rectangle; a day that isn't shown has height 0, between its neighbours."""
        place = bisect_left(self.days, day)
        if place == len(self.days) or self.days[place] != day:
            return Box(0, self.tops[place], self.width, 0)
        return Box(0, self.tops[place], self.width, self.tops[place + 1] - self.tops[place])

    def nearest(self, day: int, direction: int = 1) -> int:
        """Return a day, or the next shown one in a direction (1 or -1)."""
        place = bisect_left(self.days, day)
        if place < len(self.days) and self.days[place] == day:
            return day
        return self.days[max(0, min(place if direction > 0 else place - 1, len(self.days) - 1))]

    def day_at(self, x: int, y: int) -> int | None:
        if not (0 <= x < self.width and 0 <= y < self.content_height):
            return None
        return self.days[bisect_right(self.tops, y) - 1]

    def days_in(self, area: Box) -> Iterator[int]:
        first = max(0, bisect_right(self.tops, area.y) - 1)
        return iter(self.days[first : bisect_left(self.tops, area.y + area.height)])


def agenda_geometry(
    width: int, with_posts: Sequence[int], count_of: Callable[[int], int], today: int, scale: float = 1
) -> AgendaGeometry:
    """Return the geometry for days with posts (sorted) and their numbers of posts.

    ``scale`` is the text size.
    """
    days = days_to_show(with_posts, today)
    heights = (round(_height(count_of(day)) * scale) for day in days)
    return AgendaGeometry(max(320, width), tuple(days), tuple(accumulate(heights, initial=0)))


def day_column(width: int) -> int:
    """Return the width of the column with the date, left of the posts, in pixels at 100 %."""
    return _DAY_COLUMN if width >= _NARROW_PAGE else _NARROW_DAY_COLUMN


def place_in_agenda(posts: Iterable[PlannedPost], width: int) -> DayLayout:
    """Return a row for each post of a day, sorted by time."""
    left = day_column(width)
    row = Box(left, _PADDING, width - left - _RIGHT, ROW_HEIGHT)
    pitch = ROW_HEIGHT + ROW_GAP
    cards = (
        PlacedCard(post, row.moved(0, index * pitch), CardStyle.LINE) for index, post in enumerate(posts)
    )
    return DayLayout(tuple(cards), 0, None)


def _height(count: int) -> int:
    return count * (ROW_HEIGHT + ROW_GAP) - ROW_GAP + 2 * _PADDING if count else _EMPTY_HEIGHT


_TEXT_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_GLYPH = 14
_MOST_ACCOUNTS = 4
_STATE = 14
_TIME_LEFT = 14
_GLYPH_LEFT = 62
_ACCOUNT = 170
_STATE_WORDS = 150
_SHORTEST_REASON = 60
_AROUND_PICTURE = 6
_PICTURE = 34
_PICTURE_RADIUS = 4
_NO_TEXT = tr("No text")
_STATES = {look: sentence_start(told.partition(",")[0]) for look, told in STATUS_WORDS.items()}
_NARROW = 560
"""In narrower rows, state and account are shown as icons."""


class RowPainter:
    """Paints posts as rows, in the theme at its creation."""

    def __init__(self, cards: CardPainter) -> None:
        self._cards = cards
        self._theme = theme.current()
        self._text = TextFitter(self._theme.font("text"))
        self._quiet = TextFitter(self._theme.font("card"))
        self._time = self._theme.font("clock", QFont.Weight.Medium)
        self._struck = QFont(self._text.font)
        self._struck.setStrikeOut(True)
        self._glyph, self._state = self._theme.grown(_GLYPH), self._theme.grown(_STATE)
        self._edge = self._theme.grown(_PICTURE)
        clock = TextFitter(self._time).width("00:00A")
        self._glyph_left = max(_GLYPH_LEFT, round(_TIME_LEFT + clock) + 5)

    def paint(self, painter: QPainter, post: PlannedPost, box: Box, now: int) -> None:
        """Paint one row at ``box``; ``now`` (ms) separates past and future."""
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # as time runs in the calendar
        look = self._cards.look(post, now)
        dress, row = DRESSES[look], QRectF(*box)
        marks = self._cards.marks(post)
        if not is_quiet(post, look, now):
            colors = [mark.color_index for mark in marks]
            self._paint_ground(painter, row, dress, colors)
        self._write(
            painter, row, _TIME_LEFT, self._glyph_left, self._time, dress.quiet, self._cards.time(post)
        )
        left = self._paint_marks(painter, row, marks, dress)
        if row.width() >= self._theme.grown(_NARROW):
            right = self._paint_state(painter, row, look)
            role = "text3" if dress.faded else "text2"
            right = self._paint_account(painter, row, right, post, role)
            right = self._paint_picture(painter, row, right - 10, post, dress)
        else:
            right = self._paint_picture(painter, row, row.width() - _AROUND_PICTURE / 2, post, dress)
            right = self._paint_glyph_of_state(painter, row, right, dress)
        self._write_words(painter, row, left, right - 8, post, dress)

    def paint_ring(self, painter: QPainter, post: PlannedPost, box: Box, now: int) -> None:
        """Paint the ring of a selected row; the account's bar stays inside."""
        self._cards.paint_ring(painter, post, box, now, painter.device().devicePixelRatioF(), Ring("accent"))

    def _paint_ground(self, painter: QPainter, row: QRectF, dress: Dress, colors: Sequence[int]) -> None:
        radius = self._theme.metrics.radius_card
        rounded(painter, row, radius, fill=dress.fill, line=dress.line, dashed=dress.dashed)
        self._cards.paint_bar(painter, row, colors, faded=dress.faded)

    def _paint_marks(
        self, painter: QPainter, row: QRectF, marks: Sequence[AccountMark], dress: Dress
    ) -> float:
        """Paint the accounts; return where the text begins."""
        left, middle = round(row.x()) + self._glyph_left, round(row.center().y())
        glyph, circles = account_boxes(left, middle, len(marks), _MOST_ACCOUNTS, self._glyph)
        tint = partial(self._cards.tint, dress)
        paint_marks(painter, glyph, circles, marks, tint, self._cards.small.font, fill=dress.fill)
        return glyph.x + glyph.width - row.x() + 10

    def _paint_state(self, painter: QPainter, row: QRectF, look: Look) -> float:
        """Paint the state and its label; return the remaining edge."""
        dress, left = DRESSES[look], row.width() - self._theme.grown(_STATE_WORDS)
        if dress.glyph:
            draw_icon(painter, _square(row, left, self._state), dress.glyph, dress.glyph_color)
        role = dress.glyph_color if look in (Look.FAILED, Look.MAY_BE_LIVE) else "text2"
        text_left = left + self._state + 7
        room = self._theme.grown(_STATE_WORDS) - self._state - 14
        shown = self._quiet.elided(_STATES[look], room)
        self._write(painter, row, text_left, room, self._quiet.font, role, shown)
        return left - 8

    def _paint_glyph_of_state(self, painter: QPainter, row: QRectF, right: float, dress: Dress) -> float:
        """Paint the state without a label, left of the picture; return the remaining edge."""
        if not dress.glyph:
            return right
        left = right - 8 - self._state
        draw_icon(painter, _square(row, left, self._state), dress.glyph, dress.glyph_color)
        return left

    def _paint_account(
        self, painter: QPainter, row: QRectF, right: float, post: PlannedPost, role: str
    ) -> float:
        if not (name := self._cards.account_name(post)):
            return right
        left, accounts = right - self._theme.grown(_ACCOUNT), self._cards.accounts(post)
        name = words.marked(name, accounts[0]) if accounts else name
        shown = self._quiet.elided(name, self._theme.grown(_ACCOUNT) - 8)
        self._write(painter, row, left, self._theme.grown(_ACCOUNT) - 8, self._quiet.font, role, shown)
        return left - 8

    def _paint_picture(
        self, painter: QPainter, row: QRectF, right: float, post: PlannedPost, dress: Dress
    ) -> float:
        """Paint the picture of the post's file, or the icon of its type."""
        if post.post_type not in KIND_ICONS:
            return right
        edge = min(self._edge, round(row.height()) - _AROUND_PICTURE)
        tile = _square(row, right - edge, edge)
        picture = self._cards.find_picture(post, painter.device().devicePixelRatioF())
        if picture is None:
            paint_tile(painter, tile, post.post_type)
        else:
            paint_picture(painter, tile, picture, _PICTURE_RADIUS, faded=dress.faded)
        return right - edge

    def _write_words(
        self, painter: QPainter, row: QRectF, left: float, right: float, post: PlannedPost, dress: Dress
    ) -> None:
        """Paint the headline, followed by the reason for a failure."""
        room = right - left
        headline = self._text.elided(post.headline or _NO_TEXT, room)
        font = self._struck if dress.struck else self._text.font
        self._write(painter, row, left, room, font, dress.text, headline)
        left += self._text.width(headline) + 14
        if post.reason and right - left > self._theme.grown(_SHORTEST_REASON):
            reason = self._quiet.elided(brief_reason_of(post), right - left)
            self._write(painter, row, left, right - left, self._quiet.font, dress.glyph_color, reason)

    def _write(
        self, painter: QPainter, row: QRectF, left: float, width: float, font: QFont, role: str, text: str
    ) -> None:
        painter.setFont(font)
        painter.setPen(self._theme.color(role))
        painter.drawText(QRectF(row.x() + left, row.y(), width, row.height()), _TEXT_LEFT, text)


def _square(row: QRectF, left: float, size: int) -> QRectF:
    return QRectF(row.x() + left, row.y() + (row.height() - size) / 2, size, size)


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_HEAD = 32
_MARGIN = 16


class AgendaPage(Page):
    """Rows of posts. A day may be longer than the screen, so rows are painted separately."""

    has_empty_days = False

    def __init__(
        self,
        model: PostListModel,
        days: LocalDays,
        cards: CardPainter,
        rows: RowPainter,
        geometry: AgendaGeometry,
    ) -> None:
        super().__init__(model, days, cards)
        self._rows = rows
        self._geometry = geometry

    @property
    def geometry(self) -> AgendaGeometry:
        return self._geometry

    def arrange(self, posts: Collection[PlannedPost], day: int) -> DayLayout:
        del day
        scale = self.cards.scale
        return place_in_agenda(posts, self._width).scaled(scale)

    @property
    def _width(self) -> int:
        """The width in pixels at 100 %."""
        return int(self._geometry.width / self.cards.scale)

    def ground(self, day: int) -> str:
        return "bg" if day < self.today else "surface"

    def prefetches(self) -> bool:
        """Return False, because rows aren't cached."""
        return False

    def paint_cards(self, painter: QPainter, day: int, cell: QRect, area: QRect, budget: Budget) -> None:
        """Paint the date, and the rows in the area."""
        del budget  # rows are painted each time
        self._paint_date(painter, day, cell)
        layout = self.cells.layout(day)
        for card in layout.cards:
            box = card.box.moved(cell.x(), cell.y())
            if box.y < area.bottom() + 1 and area.top() < box.y + box.height:
                self.paint_card(painter, card.post, box, card.style)
        if layout.new is not None:
            self.paint_new(painter, layout.new.post, layout.new.box.moved(cell.x(), cell.y()))

    def paint_card(
        self, painter: QPainter, post: PlannedPost, box: Box, style: CardStyle, *, timed: bool = True
    ) -> None:
        """Paint a row, always with its time, which stays during a drag."""
        del style, timed
        self._rows.paint(painter, post, box, self.now)

    def time_line(self, post: PlannedPost, box: Box, style: CardStyle) -> None:
        """Return nothing: rows show their time."""

    def target(self, x: int, y: int, *, fine: bool, keep_time: bool) -> Target | None:
        """Return the day at a point; the time of day always stays."""
        del fine, keep_time
        day = self._geometry.day_at(x, y)
        return None if day is None else Target(day, None)

    def time_height(self, pointer: int, grip: int) -> int:
        """Return the pointer's height, which decides the day."""
        del grip
        return pointer

    def moves(self, posts: list[PlannedPost], grabbed: PlannedPost, target: Target) -> moves.Landings:
        return moves.by_days(self.days, posts, target.day - self.days.day_of(grabbed.at))

    def _paint_date(self, painter: QPainter, day: int, cell: QRect) -> None:
        date_, look = date.fromordinal(day), theme.current()
        grown = look.grown
        head = QRectF(
            cell.x() + _MARGIN, cell.y() + 4, grown(day_column(self._width)) - 2 * _MARGIN, grown(_HEAD)
        )
        if cell.height() < head.height() + 4:
            head = QRectF(head.x(), cell.y(), head.width(), cell.height())
        painter.setFont(look.font("card", QFont.Weight.Medium))
        painter.setPen(self.color("text3" if day < self.today else "text2"))
        painter.drawText(head, _LEFT, weekday_name(day))
        self._paint_number(painter, date_, head.adjusted(grown(38), 0, 0, 0), is_today=day == self.today)
        self._paint_facts(painter, day, head.translated(0, grown(22)), cell)

    def _paint_number(self, painter: QPainter, date_: date, place: QRectF, *, is_today: bool) -> None:
        painter.setFont(theme.current().font("text", QFont.Weight.DemiBold))
        text = date_name(date_.toordinal())
        if is_today:
            width = painter.fontMetrics().horizontalAdvance(text) + 16
            height = theme.current().grown(22)
            pill = QRectF(place.x() - 8, place.center().y() - height / 2, width, height)
            rounded(painter, pill, height / 2, fill="rubric")
        role = "on_rubric" if is_today else "text3" if date_.toordinal() < self.today else "text"
        painter.setPen(self.color(role))
        painter.drawText(place, _LEFT, text)

    def _paint_facts(self, painter: QPainter, day: int, place: QRectF, cell: QRect) -> None:
        """Paint the number of posts if it fits below the date."""
        count = self.model.count_on(day)
        minutes = self.days.length_minutes(day)
        facts = [trn("{n} post", "{n} posts", count)] if count > 1 else []
        facts += [words.hours(minutes)] if minutes != MINUTES_PER_DAY else []
        if facts and place.bottom() <= cell.bottom():
            painter.setFont(self.cards.small.font)
            painter.setPen(self.color("text3"))
            painter.drawText(place, _LEFT, " · ".join(facts))
