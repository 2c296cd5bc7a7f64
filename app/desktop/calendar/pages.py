"""The views of days: the month, days with hours, and the agenda. Pages are cached with their pictures.

The month has weeks as rows, days with hours are columns; both are endless.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date
from functools import partial
from math import ceil

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter

from app.desktop import week
from app.desktop.calendar import moves
from app.desktop.calendar.agenda import AgendaPage, RowPainter, agenda_geometry
from app.desktop.calendar.cards import (
    CardPainter,
    FindAccount,
    FindPicture,
    FindResult,
    IsAtRisk,
    never,
    no_picture,
    no_result,
)
from app.desktop.calendar.days import ClockChange, LocalDays, Span, date_name
from app.desktop.calendar.geometry import (
    HALF_HOUR,
    HOURS_TOP,
    Geometry,
    HoursGeometry,
    MonthGeometry,
    anchor_near,
    fit_past_weeks,
    hours_geometry,
    month_geometry,
)
from app.desktop.calendar.lanes import Minutes, place_in_hours
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.moves import Target
from app.desktop.calendar.page import Page
from app.desktop.calendar.placement import (
    Box,
    Composing,
    DayLayout,
    FreeSlot,
    PlacedCard,
    height_in_month,
    place_in_month,
)
from app.desktop.calendar.slots import FreeSlots
from app.desktop.calendar.tiles import Tile
from app.desktop.widgets.painting import rounded, translucent
from app.language import tr
from app.workspace.clock import wall_clock
from app.workspace.posts.planned import PlannedPost
from app.workspace.time.wall import MINUTES_PER_DAY, Landing

_NUMBER_HEIGHT = 20
_NUMBER_LEFT = 9.0
_COUNT_GAP = 4
_LEAST_RING = 10
"""Height of half an hour below which its ring can't leave out a free slot, in px."""


class MonthPage(Page):
    """Days in cells; ``month`` (year, month) is the shown one."""

    def __init__(
        self, model: PostListModel, days: LocalDays, cards: CardPainter, geometry: MonthGeometry
    ) -> None:
        super().__init__(model, days, cards)
        self._geometry = geometry
        self.month = (1, 1)

    @property
    def geometry(self) -> MonthGeometry:
        return self._geometry

    def arrange(self, posts: Collection[PlannedPost], day: int) -> DayLayout:
        cell, scale = self._geometry.cell(day), self.cards.scale
        room = int(cell.width / scale), int(cell.height / scale)
        is_quiet = partial(self.cards.is_quiet, now=self.now)
        urgent = self.model.urgent_on(day)
        return place_in_month(posts, *room, self.cards.text_lines, is_quiet, urgent).scaled(scale)

    def middle_day(self, top: int) -> int:
        """Return a day in the middle of the visible weeks; its month is the shown one."""
        half_a_row = self._geometry.height // self._geometry.rows // 2
        return next(self._geometry.days_in(Box(0, top + half_a_row, 1, 1))) + 10

    def ground(self, day: int) -> str:
        """Shade what is past in the current month, and the neighbours of another month."""
        today = date.fromordinal(self.today)
        if self.month == (today.year, today.month):
            return "surface" if day >= self.today else "bg"
        date_ = date.fromordinal(day)
        return "surface" if (date_.year, date_.month) == self.month else "bg"

    def paint_day(self, painter: QPainter, day: int, layout: DayLayout) -> None:
        """Paint the number, the cards and "+n more"."""
        cell = self._geometry.cell(day)
        right = self._paint_number(painter, day)
        super().paint_day(painter, day, layout)
        self.paint_more(painter, day, layout)
        if layout.hidden:
            self._paint_count(painter, self.model.count_on(day), cell.width - 10, right)

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

    @property
    def _number_height(self) -> float:
        return _NUMBER_HEIGHT * self.cards.scale

    def _paint_count(self, painter: QPainter, posts: int, right: float, left: float) -> None:
        """Paint the number of posts of a day if it fits."""
        small, count = self.cards.small, str(posts)
        if left + _COUNT_GAP + small.width(count) <= right:
            painter.setPen(self.color("text3"))
            middle = small.middle(4 * self.cards.scale, self._number_height)
            small.write(painter, right - small.width(count), middle, count)

    def _paint_number(self, painter: QPainter, day: int) -> float:
        """Paint the day's number; return where it ends."""
        date_, room = date.fromordinal(day), self._geometry.cell(day).width
        words = date_name(day) if date_.day == 1 else str(date_.day)
        number = self.cards.today_number if day == self.today else self.cards.number
        if number.width(words) + _NUMBER_LEFT > room:
            words = str(date_.day)
        top, height = 5 * self.cards.scale, self._number_height
        left, baseline = _number_left(number.width(words), room), number.middle(top, height)
        right, role = left + number.width(words), "accent" if self.is_composing(day) else "text2"
        if day == self.today:
            width = min(max(30.0, number.width(words) + 16), room - 2)
            pill = QRectF(_number_left(width, room), top, width, height)
            rounded(painter, pill, height / 2, fill="rubric")
            left, right, role = pill.center().x() - number.width(words) / 2, pill.right(), "on_rubric"
        painter.setPen(self.color(role))
        number.write(painter, left, baseline, words)
        return right


def _number_left(width: float, room: float) -> float:
    """Return the left edge of a number: in the middle of a day that's too narrow for the usual margins."""
    return max(0.0, min(_NUMBER_LEFT, (room - width) / 2))


OPENS_AT_MINUTE = 6 * 60 + 45
TIMES_ON_THE_WAY = [f"{minute // 60:02}:{minute % 60:02}" for minute in range(0, MINUTES_PER_DAY, moves.SNAP)]
"""The times that a drag snaps to."""


def _beside_slots(top: int, bottom: int, slots: Iterable[Box]) -> tuple[int, int]:
    """Return a half hour's edges, moved so that they cross no slot: its own are inside, earlier ones not."""
    for box in slots:
        end = box.y + box.height
        if top <= box.y < bottom:
            bottom = max(bottom, end)
        elif box.y < top < end:
            top = end if bottom - end >= _LEAST_RING else box.y
            bottom = max(bottom, end)
    return top, bottom


class HoursPage(Page):
    """Endless columns of days."""

    def __init__(
        self,
        model: PostListModel,
        days: LocalDays,
        cards: CardPainter,
        geometry: HoursGeometry,
        slots: FreeSlots | None = None,
    ) -> None:
        super().__init__(model, days, cards)
        self._geometry = geometry
        self._slots = slots

    @property
    def geometry(self) -> HoursGeometry:
        return self._geometry

    def arrange(self, posts: Collection[PlannedPost], day: int) -> DayLayout:
        """Lay out a day. In a repeated hour, posts of its second pass are in the right half."""
        change, again = self.days.change_on(day), set[str]()
        in_order = list(posts)
        minutes: Sequence[int] = Minutes(in_order, self.days.day(day).start)
        if change is not None:
            # By the wall clock, which may be set back on such a day.
            in_order.sort(key=lambda post: self.days.place(post.at).minute)
            minutes = [self.days.place(post.at).minute for post in in_order]
            again = {post.key for post in in_order if change.twice and self.days.comes_again(post.at)}
        scale = self.cards.scale
        width, minute = int(self._geometry.cell(day).width / scale), self._geometry.minute_height / scale
        day_height = round(24 * 60 * minute)
        lines = self.cards.text_lines
        return place_in_hours(in_order, minutes, width, minute, day_height, lines, again).scaled(scale)

    def ground(self, day: int) -> str:
        return "bg" if day < self.today else "surface"

    def tiles(self, day: int, layout: DayLayout) -> Sequence[Tile]:
        """Return each free slot and each card separately, because most of a day's hours aren't visible."""
        tiles = self._slot_tiles(day, layout)
        tiles += [
            Tile(card.box, partial(self._paint_placed, card=card), partial(self._sketch, card))
            for card in layout.cards
        ]
        if (new := layout.new) is not None:
            tiles.append(Tile(new.box, partial(self.paint_new, post=new.post, box=new.box)))
        if layout.more is not None:
            tiles.append(Tile(layout.more, partial(self.paint_more, day=day, layout=layout)))
        return tiles

    def _paint_placed(self, painter: QPainter, card: PlacedCard) -> None:
        self.paint_card(painter, card.post, card.box, card.style)

    def _sketch(self, card: PlacedCard, painter: QPainter, left: int, top: int) -> None:
        self.cards.sketch(painter, card.post, card.box.moved(left, top), self.now)

    def paint_grounds(self, painter: QPainter, cells: Sequence[tuple[int, QRect]], area: QRect) -> None:
        """Shade the past, and today up to now, and draw the lines of the hours."""
        super().paint_grounds(painter, cells, area)
        for day, cell in cells:
            if day == self.today:
                self._paint_past(painter, cell)
        self._rule_hours(painter, cells[0][1].united(cells[-1][1]), area)
        for day, cell in cells:
            change = self.days.change_on(day)
            if change is not None:
                self._paint_change(painter, change, cell)
            if week.first_of(day) == week.first_of(self.today):
                self._paint_now(painter, day, cell)

    def _paint_past(self, painter: QPainter, cell: QRect) -> None:
        minute = self.days.place(self.now).minute
        height = round(minute * self._geometry.minute_height)
        painter.fillRect(cell.x(), cell.y(), cell.width(), height, self.color("bg"))

    def _rule_hours(self, painter: QPainter, days: QRect, area: QRect) -> None:
        line, top, height = self.color("line2"), area.top() - days.y(), self._geometry.hour
        for hour in range(max(0, top // height), min(24, (top + area.height()) // height) + 1):
            painter.fillRect(days.x(), days.y() + hour * height, days.width(), 1, line)

    def _paint_change(self, painter: QPainter, change: ClockChange, area: QRect) -> None:
        """Shade a skipped hour, or divide a repeated one."""
        scale = self._geometry.minute_height
        top, height = round(change.start * scale), round((change.end - change.start) * scale)
        band = QRect(area.x(), area.y() + top, area.width(), height)
        painter.fillRect(band, self.color("sunken"))
        painter.setFont(self.cards.small.font)
        painter.setPen(self.color("text3"))
        if not change.twice:
            painter.drawText(band, Qt.AlignmentFlag.AlignCenter, tr("This hour doesn't exist"))
            return
        corner = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
        middle = area.x() + area.width() // 2
        painter.fillRect(middle, band.y(), 1, height, self.color("line"))
        for left, letter in ((area.x(), "A"), (middle, "B")):
            painter.drawText(band.adjusted(left - area.x() + 6, 3, 0, 0), corner, letter)

    def _paint_now(self, painter: QPainter, day: int, area: QRect) -> None:
        """Paint the line of the current time: strong and with a dot today, faint on other days."""
        y = area.y() + round(self.days.place(self.now).minute * self._geometry.minute_height)
        rubric = self.color("rubric")
        if day != self.today:
            painter.fillRect(area.x(), y, area.width(), 1, translucent(rubric, 0.4))
            return
        painter.fillRect(area.x(), y - 1, area.width(), 2, rubric)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(rubric)
        painter.drawEllipse(QPointF(area.x() + 4, y), 4.5, 4.5)

    def focus_box(self, day: int, half_hour: int | None) -> Box:
        cell = self._geometry.cell(day)
        if half_hour is None:
            return cell
        minute = self.days.place(half_hour).minute
        top, bottom = (self._geometry.y_of(edge) for edge in (minute, minute + HALF_HOUR))
        top, bottom = _beside_slots(top, bottom, (box for box, _slot in self.slots_on(day)))
        return cell._replace(y=top, height=bottom - top)

    def slots_on(self, day: int) -> Sequence[tuple[Box, FreeSlot]]:
        cell = self._geometry.cell(day)
        placed = self._placed_slots(day, self.cells.layout(day))
        return [(box.moved(cell.x, cell.y), slot) for box, slot in placed]

    def _slot_tiles(self, day: int, layout: DayLayout) -> list[Tile]:
        if self._slots is None:
            return []
        placed = self._placed_slots(day, layout)
        return [Tile(one[0], partial(self._slots.paint, placed=[one])) for one in placed]

    def _placed_slots(self, day: int, layout: DayLayout) -> list[tuple[Box, FreeSlot]]:
        if self._slots is None:
            return []
        width, scale = self._geometry.cell(day).width, self._geometry.minute_height
        return self._slots.placed(day, self.now, width, scale, layout)

    def target(self, x: int, y: int, *, fine: bool, keep_time: bool) -> Target | None:
        """Return the day and the snapped minute at a point; no minute if the time is kept."""
        top, bottom = HOURS_TOP, self._geometry.content_height - 1
        day = self._geometry.day_at(x, max(top, min(y, bottom)))
        if day is None:
            return None
        if keep_time:
            return Target(day, None)
        minute = self._geometry.minute_at(y, moves.FINE_SNAP if fine else moves.SNAP)
        return Target(day, minute, again=self._is_right_half(x, day, minute))

    def _is_right_half(self, x: int, day: int, minute: int) -> bool:
        """Whether a point means the second pass of a repeated minute."""
        change = self.days.change_on(day)
        if change is None or not change.twice or not change.start <= minute < change.end:
            return False
        cell = self._geometry.cell(day)
        return x >= cell.x + cell.width // 2

    @property
    def times_on_the_way(self) -> Sequence[str]:
        return TIMES_ON_THE_WAY

    def time_height(self, pointer: int, grip: int) -> int:
        """Return the height of the card's upper edge, which decides the time."""
        return pointer - grip

    def line_height(self, target: Target | None) -> int | None:
        return None if target is None or target.minute is None else self._geometry.y_of(target.minute)

    def moves(self, posts: list[PlannedPost], grabbed: PlannedPost, target: Target) -> moves.Landings:
        day, minute = self.days.place(grabbed.at)
        if target.minute is None:
            return moves.by_days(self.days, posts, target.day - day)
        landings = moves.by_minutes(
            self.days, posts, (target.day - day) * MINUTES_PER_DAY + target.minute - minute
        )
        landing = landings[grabbed.key]
        if landing.other is not None:  # the half of the column decides which of the two is meant
            landings[grabbed.key] = Landing(landing.other if target.again else landing.at)
        return landings


_NARROWEST = 70


class Pages:
    """The pages of one model. Each is cached with its pictures until size, theme or day change."""

    def __init__(
        self,
        model: PostListModel,
        days: LocalDays,
        find_account: FindAccount,
        is_at_risk: IsAtRisk = never,
        slots: FreeSlots | None = None,
        find_picture: FindPicture = no_picture,
        find_result: FindResult = no_result,
    ) -> None:
        self._model = model
        self._days = days
        self._find_account = find_account
        self._is_at_risk = is_at_risk
        self._slots = slots
        self._find_picture = find_picture
        self._find_result = find_result
        self._kept: dict[Span, Page] = {}
        self._composing: Composing | None = None
        self.restyle()

    def restyle(self) -> None:
        """Handle a change of accounts or theme."""
        self._cards = CardPainter(
            self._days,
            self._find_account,
            self._is_at_risk,
            self._find_picture,
            self._find_result,
            self._model.members,
        )
        self._rows = RowPainter(self._cards)

    def page(self, span: Span, day: int, size: QSize) -> Page:
        """Return the page of a span for a viewport's size; ``day`` is the first of the shown period."""
        page = self._page(span, day, max(_NARROWEST, size.width()), size.height())
        if isinstance(page, MonthPage):
            shown = date.fromordinal(day)
            page.month = (shown.year, shown.month)
        page.composing = self._composing
        return page

    def mark(self, composing: Composing | None) -> None:
        """Show posts that are being written on their day, or none."""
        before, self._composing = self._composing, composing
        touched = {one.day for one in (before, composing) if one is not None}
        for page in self._kept.values() if composing != before else ():
            page.composing = composing
            page.cells.drop(touched)

    def forget_days(self, days: set[int]) -> None:
        """Discard the layouts of days, also on pages that aren't shown."""
        for page in self._kept.values():
            page.cells.drop(days)

    def forget_card(self, post: PlannedPost) -> None:
        """Discard the pictures of a card that looks different but stays where it is."""
        for page in self._kept.values():
            page.cells.drop_card(self._days.day_of(post.at), self._model.lead(post).key)

    def forget_all(self) -> None:
        """Discard everything, because every day may look different."""
        for page in self._kept.values():
            page.cells.clear()

    def _page(self, span: Span, day: int, width: int, height: int) -> Page:
        model, days, cards = self._model, self._days, self._cards
        today = days.today()
        anchor = anchor_near(day, today)
        if span is Span.MONTH:
            month = month_geometry(width, height, anchor, cards.scale)
            month = fit_past_weeks(month, today, cards.scale, partial(self._needed, month.width // 7))
            return self._kept_or(span, month, lambda: MonthPage(model, days, cards, month))
        if span is Span.AGENDA:
            agenda = agenda_geometry(width, self._days_with_posts(), self._count, today, cards.scale)
            return self._kept_or(span, agenda, lambda: AgendaPage(model, days, cards, self._rows, agenda))
        hours = hours_geometry(width, span.columns or 1, anchor, cards.scale)
        return self._kept_or(span, hours, lambda: HoursPage(model, days, cards, hours, self._slots))

    def _kept_or(self, span: Span, geometry: Geometry, make: Callable[[], Page]) -> Page:
        kept = self._kept.get(span)
        is_same = kept is not None and kept.geometry == geometry and kept.cards is self._cards
        if kept is None or not is_same or kept.today != self._days.today():
            if kept is not None:
                kept.cells.clear()  # in a reference cycle: megabytes would wait for the collector
            kept = self._kept[span] = make()
        return kept

    def _needed(self, width: int, day: int, most: int) -> int:
        """Return the height of a cell of the month for all of a day's posts, at most ``most``."""
        cards, now = self._cards, wall_clock()
        room, limit = int(width / cards.scale), round(most / cards.scale)
        is_quiet = partial(cards.is_quiet, now=now)
        needed = height_in_month(self._model.glance(day), room, limit, cards.text_lines, is_quiet)
        return min(most, ceil(needed * cards.scale))

    def _days_with_posts(self) -> list[int]:
        days = self._model.days()
        return days if self._composing is None else sorted({*days, self._composing.day})

    def _count(self, day: int) -> int:
        """Return the number of rows a day needs."""
        new = self._composing is not None and self._composing.day == day and self._composing.count > 0
        return len(self._model.glance(day)) + new
