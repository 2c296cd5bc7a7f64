"""The month: weeks below each other, without end."""

from collections.abc import Sequence
from datetime import date

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from app.desktop.calendar import moves
from app.desktop.calendar.cards import CardPainter
from app.desktop.calendar.day_names import date_name
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.geometry import MonthGeometry
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.moves import Target
from app.desktop.calendar.page import Page
from app.desktop.calendar.placement import Box, DayLayout, place_in_month
from app.desktop.widgets.painting import rounded
from app.workspace.posts.planned import PlannedPost

_NUMBER_HEIGHT = 20
_COUNT_GAP = 4


class MonthPage(Page):
    """Days in cells; ``month`` (year, month) is the one that is not shaded."""

    def __init__(
        self, model: PostListModel, days: LocalDays, cards: CardPainter, geometry: MonthGeometry
    ) -> None:
        super().__init__(model, days, cards)
        self._geometry = geometry
        self.month = (1, 1)

    @property
    def geometry(self) -> MonthGeometry:
        return self._geometry

    def arrange(self, posts: Sequence[PlannedPost], day: int) -> DayLayout:
        cell, scale = self._geometry.cell(day), self.cards.scale
        room = int(cell.width / scale), int(cell.height / scale)
        return place_in_month(posts, *room, self.cards.text_lines).scaled(scale)

    def middle_day(self, top: int) -> int:
        """A day in the middle of the weeks that show below a height: its month is the one that shows."""
        half_a_row = self._geometry.height // self._geometry.rows // 2
        return next(self._geometry.days_in(Box(0, top + half_a_row, 1, 1))) + 10

    def ground(self, day: int) -> str:
        date_ = date.fromordinal(day)
        return "surface" if (date_.year, date_.month) == self.month else "bg"

    def paint_day(self, painter: QPainter, day: int, layout: DayLayout) -> None:
        """Paints the number, the cards and what is hidden."""
        cell = self._geometry.cell(day)
        right = self._paint_number(painter, day)
        super().paint_day(painter, day, layout)
        self.paint_more(painter, layout)
        if layout.hidden:
            self._paint_count(painter, len(layout.cards) + len(layout.hidden), cell.width - 10, right)

    def target(self, x: int, y: int, *, fine: bool, keep_time: bool) -> Target | None:
        """The day at a point; the time of day always stays."""
        del fine, keep_time
        day = self._geometry.day_at(x, y)
        return None if day is None else Target(day, None)

    def time_height(self, pointer: int, grip: int) -> int:
        """The pointer tells the day."""
        del grip
        return pointer

    def moves(self, posts: list[PlannedPost], grabbed: PlannedPost, target: Target) -> moves.Landings:
        return moves.by_days(self.days, posts, target.day - self.days.day_of(grabbed.at))

    @property
    def _number_height(self) -> float:
        return _NUMBER_HEIGHT * self.cards.scale

    def _paint_count(self, painter: QPainter, posts: int, right: float, left: float) -> None:
        """Says how many posts a day has, where there is room for it."""
        small, count = self.cards.small, str(posts)
        if left + _COUNT_GAP + small.width(count) <= right:
            painter.setPen(self.color("text3"))
            middle = small.middle(4 * self.cards.scale, self._number_height)
            small.write(painter, right - small.width(count), middle, count)

    def _paint_number(self, painter: QPainter, day: int) -> float:
        """Gives where it ends."""
        date_ = date.fromordinal(day)
        words = date_name(day) if date_.day == 1 else str(date_.day)
        number = self.cards.today_number if day == self.today else self.cards.number
        if number.width(words) + 9 > self._geometry.cell(day).width:
            words = str(date_.day)
        top, height = 5 * self.cards.scale, self._number_height
        left, baseline = 9.0, number.middle(top, height)
        right, role = left + number.width(words), "accent" if self.is_composing(day) else "text2"
        if day == self.today:
            pill = QRectF(left, top, max(30.0, number.width(words) + 16), height)
            rounded(painter, pill, height / 2, fill="rubric")
            left, right, role = pill.center().x() - number.width(words) / 2, pill.right(), "on_rubric"
        painter.setPen(self.color(role))
        number.write(painter, left, baseline, words)
        return right
