"""Days with their hours: columns beside each other, hours downwards; a week of them, or one."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QPainter

from app.desktop import week
from app.desktop.calendar import moves
from app.desktop.calendar.cards import CardPainter
from app.desktop.calendar.days import MINUTES_PER_DAY, ClockChange, LocalDays
from app.desktop.calendar.free_slots import FreeSlots
from app.desktop.calendar.geometry import HOURS_TOP, HoursGeometry
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.moves import Target
from app.desktop.calendar.page import Page
from app.desktop.calendar.placement import Box, DayLayout, FreeSlot, PlacedCard, place_in_hours
from app.desktop.calendar.tiles import Tile
from app.desktop.widgets.painting import translucent
from app.language import tr
from app.workspace.posts.planned import PlannedPost
from app.workspace.time.wall import Landing

OPENS_AT_MINUTE = 6 * 60 + 45
TIMES_ON_THE_WAY = [f"{minute // 60:02}:{minute % 60:02}" for minute in range(0, MINUTES_PER_DAY, moves.SNAP)]
"""What a drag snaps to."""


class HoursPage(Page):
    """Columns of days, without end."""

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

    def arrange(self, posts: Sequence[PlannedPost], day: int) -> DayLayout:
        """Where an hour comes twice, posts of its second pass stand right of those that they meet."""
        change = self.days.change_on(day)
        is_twice = change is not None and change.twice
        again = {post.key for post in posts if self.days.comes_again(post.at)} if is_twice else ()
        # By the clock, not by time: it goes back on such a day.
        timed = sorted(((post, self.days.place(post.at).minute) for post in posts), key=lambda one: one[1])
        scale = self.cards.scale
        width, minute = int(self._geometry.cell(day).width / scale), self._geometry.minute_height / scale
        day_height = round(24 * 60 * minute)
        placed = place_in_hours(timed, width, minute, day_height, self.cards.text_lines, again)
        return placed.scaled(scale)

    def ground(self, day: int) -> str:
        return "bg" if day < self.today else "surface"

    def tiles(self, day: int, layout: DayLayout) -> Sequence[Tile]:
        """Each free slot and each card by itself: most of a day's hours do not show at once."""
        tiles = self._slot_tiles(day, layout)
        tiles += [
            Tile(card.box, partial(self._paint_placed, card=card), partial(self._sketch, card))
            for card in layout.cards
        ]
        if (new := layout.new) is not None:
            tiles.append(Tile(new.box, partial(self.cards.paint_new, post=new.post, box=new.box)))
        if layout.more is not None:
            tiles.append(Tile(layout.more, partial(self.paint_more, layout=layout)))
        return tiles

    def _paint_placed(self, painter: QPainter, card: PlacedCard) -> None:
        self.paint_card(painter, card.post, card.box, card.style)

    def _sketch(self, card: PlacedCard, painter: QPainter, left: int, top: int) -> None:
        self.cards.sketch(painter, card.post, card.box.moved(left, top), self.now)

    def paint_grounds(self, painter: QPainter, cells: Sequence[tuple[int, QRect]], area: QRect) -> None:
        """Shades the past, today up to now, and rules the hours."""
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
        """Shades the hour that is skipped, or parts the one that comes twice."""
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
        """The line of the present: strong and with a dot today, faint on the other days."""
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
        """The day at a point and the minute nearest to it, snapped; None for the minute when it is kept."""
        top, bottom = HOURS_TOP, self._geometry.content_height - 1
        day = self._geometry.day_at(x, max(top, min(y, bottom)))
        if day is None:
            return None
        if keep_time:
            return Target(day, None)
        minute = self._geometry.minute_at(y, moves.FINE_SNAP if fine else moves.SNAP)
        return Target(day, minute, again=self._is_right_half(x, day, minute))

    def _is_right_half(self, x: int, day: int, minute: int) -> bool:
        """Whether a point means the second pass of a minute that comes twice."""
        change = self.days.change_on(day)
        if change is None or not change.twice or not change.start <= minute < change.end:
            return False
        cell = self._geometry.cell(day)
        return x >= cell.x + cell.width // 2

    @property
    def times_on_the_way(self) -> Sequence[str]:
        return TIMES_ON_THE_WAY

    def time_height(self, pointer: int, grip: int) -> int:
        """The card's upper edge tells the time."""
        return pointer - grip

    def line_height(self, target: Target | None) -> int | None:
        return None if target is None or target.minute is None else self._geometry.y_of(target.minute)

    def moves(self, posts: list[PlannedPost], grabbed: PlannedPost, target: Target) -> moves.Landings:
        day, minute = self.days.place(grabbed.at)
        if target.minute is None:
            return moves.by_days(self.days, posts, target.day - day)
        landings = moves.by_minutes(self.days, posts, (target.day - day) * 1_440 + target.minute - minute)
        landing = landings[grabbed.key]
        if landing.other is not None:  # the half of the column has said which of the two is meant
            landings[grabbed.key] = Landing(landing.other if target.again else landing.at)
        return landings
