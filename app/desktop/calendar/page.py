"""What all ways to show days have in common: days with cards, painted from pictures."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QPainter

from app.desktop.calendar.cards import CardPainter, Line, Ring
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.geometry import Geometry
from app.desktop.calendar.model import PostListModel
from app.desktop.calendar.moves import Landings, Target
from app.desktop.calendar.placement import (
    Box,
    CardStyle,
    Composing,
    DayLayout,
    FreeSlot,
    PlacedCard,
    set_apart,
)
from app.desktop.calendar.tiles import Budget, CellCache, Tile
from app.language import number, tr
from app.workspace.posts.planned import PlannedPost
from app.workspace.time.wall import MINUTE_MS


class Page(ABC):
    """One way to show days. ``now`` (milliseconds) is set by the view as time goes on."""

    def __init__(self, model: PostListModel, days: LocalDays, cards: CardPainter) -> None:
        self.model = model
        self.days = days
        self.cards = cards
        self.now = 0
        self.today = days.today()
        self.ratio = 1.0
        self.composing: Composing | None = None
        self.cells = CellCache(self.place, self.tiles)

    @property
    @abstractmethod
    def geometry(self) -> Geometry:
        """Where the days are."""

    @abstractmethod
    def arrange(self, posts: Sequence[PlannedPost], day: int) -> DayLayout:
        """Places the cards of a day's posts (sorted by time), relative to its cell."""

    def place(self, day: int) -> DayLayout:
        """Places a day's cards, and the one of the posts that are being written for it."""
        posts = self.model.on_day(day)
        if self.composing is None or not self.is_composing(day):
            return self.arrange(posts, day)
        return set_apart(self.arrange(self.composing.among(posts), day))

    def is_composing(self, day: int) -> bool:
        """Whether posts are being written for a day."""
        return self.composing is not None and self.composing.day == day

    @abstractmethod
    def ground(self, day: int) -> str:
        """The colour role below a day."""

    @abstractmethod
    def target(self, x: int, y: int, *, fine: bool, keep_time: bool) -> Target | None:
        """Where a post would land whose top left corner's time is at a point of the canvas."""

    @abstractmethod
    def time_height(self, pointer: int, grip: int) -> int:
        """The height that tells where a drag is: of the pointer, or of the card that it holds at ``grip``."""

    def line_height(self, target: Target | None) -> int | None:
        """The height on the canvas of the line that tells a target's time; None where there is none."""
        del target
        return None

    @abstractmethod
    def moves(self, posts: list[PlannedPost], grabbed: PlannedPost, target: Target) -> Landings:
        """The new times when ``grabbed`` lands on ``target`` and the others keep their distance to it."""

    def pass_time(self, now: int) -> bool:
        """Takes over the time, which tells past from future; whether another minute has begun."""
        before, self.now = self.now, now
        has_passed = before // MINUTE_MS != now // MINUTE_MS
        if has_passed:
            self.cells.drop({self.today})
        return has_passed

    def set_ratio(self, ratio: float) -> None:
        """Paints for a screen of so many device pixels to a logical one."""
        if ratio != self.ratio:
            self.ratio = ratio
            self.cells.clear()

    def tiles(self, day: int, layout: DayLayout) -> Sequence[Tile]:
        """The parts of a day that are painted apart from each other: here the whole cell."""
        cell = self.geometry.cell(day)
        whole = Box(0, 0, cell.width, cell.height)
        return (Tile(whole, partial(self.paint_day, day=day, layout=layout)),)

    def paint_day(self, painter: QPainter, day: int, layout: DayLayout) -> None:
        """Paints a day's cards at the origin; pages add what else belongs to a day."""
        del day
        for card in layout.cards:
            self.paint_card(painter, card.post, card.box, card.style)
        if layout.new is not None:
            self.cards.paint_new(painter, layout.new.post, layout.new.box)

    def paint_card(
        self, painter: QPainter, post: PlannedPost, box: Box, style: CardStyle, *, timed: bool = True
    ) -> None:
        """Paints one post, with its time or without."""
        self.cards.paint(painter, post, box, style, self.now, self.ratio, timed=timed)

    @property
    def times_on_the_way(self) -> Sequence[str]:
        """The times of day that a drag over the page takes a post to."""
        return ()

    def time_line(self, post: PlannedPost, box: Box, style: CardStyle) -> Line | None:
        """The time for a card that was painted without."""
        return self.cards.time_line(post, box, style, self.now)

    def paint_ring(self, painter: QPainter, post: PlannedPost, box: Box, ring: Ring) -> None:
        """Paints a ring around one post's card."""
        self.cards.paint_ring(painter, post, box, self.now, self.ratio, ring)

    def prefetches(self) -> bool:
        """Whether days around the view are worth painting ahead of time."""
        return True

    def paint(self, painter: QPainter, area: QRect, corner: QPoint, budget: Budget) -> None:
        """Paints the days in an area of the viewport, which begins at a point of the canvas.

        Pictures beyond the budget are left out, or only sketched.
        """
        x, y = corner.x(), corner.y()
        shown = Box(area.x() + x, area.y() + y, area.width(), area.height())
        cells = [
            (day, QRect(cell.x - x, cell.y - y, cell.width, cell.height))
            for day in self.geometry.days_in(shown)
            if (cell := self.geometry.cell(day)).intersects(shown)
        ]
        if not cells or area.top() < cells[0][1].top() or area.bottom() > cells[-1][1].bottom():
            painter.fillRect(area, self.color("surface"))  # above midnight, or below the next
        if cells:
            self.paint_grounds(painter, cells, area)
            for day, place in cells:
                self.paint_cards(painter, day, place, area, budget)
            self._rule(painter, [cell for _, cell in cells])

    def paint_grounds(self, painter: QPainter, cells: Sequence[tuple[int, QRect]], area: QRect) -> None:
        """Fills what lies below days, those beside each other in one go.

        ``cells`` are days in their order, where they are on the viewport; ``area`` of it is to be painted.
        """
        del area
        for (role, _), run in groupby(cells, key=lambda one: (self._role_below(one[0]), one[1].top())):
            alike = [cell for _, cell in run]
            painter.fillRect(alike[0].united(alike[-1]), self.color(role))

    def _role_below(self, day: int) -> str:
        return "accent_soft" if self.is_composing(day) else self.ground(day)

    def _rule(self, painter: QPainter, cells: Sequence[QRect]) -> None:
        """Parts days, which fill a rectangle, by lines at their right and below them."""
        line, whole = self.color("line2"), cells[0].united(cells[-1])
        for right in {cell.right() for cell in cells}:
            painter.fillRect(right, whole.top(), 1, whole.height(), line)
        for bottom in {cell.bottom() for cell in cells}:
            painter.fillRect(whole.left(), bottom, whole.width(), 1, line)

    def paint_cell(self, painter: QPainter, day: int, cell: QRect, area: QRect) -> None:
        """Paints one day: its ground, then its cards; ``area`` is the part of the viewport to paint."""
        self.paint_grounds(painter, [(day, cell)], area)
        self.paint_cards(painter, day, cell, area, Budget())

    def paint_target(self, painter: QPainter, day: int, cell: QRect, area: QRect, role: str) -> None:
        """Paints the day that a drag would land on, on a ground of its own."""
        painter.fillRect(cell, self.color(role))
        self.paint_cards(painter, day, cell, area, Budget())

    def paint_cards(self, painter: QPainter, day: int, cell: QRect, area: QRect, budget: Budget) -> None:
        """Paint what lies on a day's ground, from its pictures."""
        left, top = cell.x(), cell.y()
        for tile, picture in self.cells.pictures(day, _within(area, cell), self.ratio, budget):
            if picture is not None:
                painter.drawPixmap(left + tile.box.x, top + tile.box.y, picture)
            elif tile.sketch is not None:
                tile.sketch(painter, left, top)

    def paint_ahead(self, day: int, area: Box, budget: Budget) -> None:
        """Makes the pictures of what a day shows in an area of the canvas."""
        cell = self.geometry.cell(day)
        for _ in self.cells.pictures(day, area.moved(-cell.x, -cell.y), self.ratio, budget):
            pass

    def missing(self, area: Box) -> int:
        """Return how many pictures an area of the canvas still lacks."""
        return sum(
            self.cells.missing(day, area.moved(-cell.x, -cell.y))
            for day in self.geometry.days_in(area)
            if (cell := self.geometry.cell(day)).intersects(area)
        )

    def is_painted(self, day: int, area: Box) -> bool:
        """Whether what a day shows in an area of the canvas has its pictures."""
        cell = self.geometry.cell(day)
        return self.cells.has_pictures(day, area.moved(-cell.x, -cell.y))

    def color(self, role: str) -> QColor:
        """A colour of the theme."""
        return self.cards.color(role)

    def card_of(self, post: PlannedPost) -> tuple[Box, PlacedCard] | None:
        """A post's card and its rectangle on the canvas; None while it is behind "+n more"."""
        day = self.days.day_of(post.at)
        cell = self.geometry.cell(day)
        for card in self.cells.layout(day).cards:
            if card.post.key == post.key:
                return card.box.moved(cell.x, cell.y), card
        return None

    def alone(self, post: PlannedPost) -> PlacedCard:
        """The card that a post would have on a day of its own."""
        return self.arrange((post,), self.days.day_of(post.at)).cards[0]

    def card_at(self, x: int, y: int) -> PlacedCard | None:
        """The card at a point of the canvas."""
        day = self.geometry.day_at(x, y)
        if day is None:
            return None
        cell = self.geometry.cell(day)
        cards = reversed(self.cells.layout(day).cards)
        return next((card for card in cards if card.box.contains(x - cell.x, y - cell.y)), None)

    def slots_on(self, day: int) -> Sequence[tuple[Box, FreeSlot]]:
        """The free slots that a day shows, with their rectangles on the canvas, in the order of time."""
        del day
        return ()

    def slot_at(self, x: int, y: int) -> FreeSlot | None:
        """The free slot at a point of the canvas."""
        day = self.geometry.day_at(x, y)
        there = self.slots_on(day) if day is not None else ()
        return next((slot for box, slot in there if box.contains(x, y)), None)

    def more_at(self, x: int, y: int) -> int | None:
        """The day whose "+n more" is at a point of the canvas."""
        day = self.geometry.day_at(x, y)
        if day is None:
            return None
        cell = self.geometry.cell(day)
        more = self.cells.layout(day).more
        return day if more is not None and more.contains(x - cell.x, y - cell.y) else None

    def cards_in(self, area: Box) -> Iterator[tuple[Box, PlacedCard]]:
        """The cards of the days that show in a part of the canvas, with their rectangles there."""
        for day in self.geometry.days_in(area):
            cell = self.geometry.cell(day)
            for card in self.cells.layout(day).cards:
                yield card.box.moved(cell.x, cell.y), card

    def paint_more(self, painter: QPainter, layout: DayLayout) -> None:
        """Paints "+n more" where posts are hidden."""
        if layout.more is None:
            return
        more, small = layout.more, self.cards.small
        hidden = len(layout.hidden)
        is_wide = more.width > 60 * self.cards.scale
        words = tr("+{n} more", n=hidden) if is_wide else f"+{number(hidden)}"
        painter.setPen(self.color("text2"))
        small.write(painter, more.x + 6, small.middle(more.y, more.height), words)


def _within(area: QRect, cell: QRect) -> Box:
    """An area of the viewport as one of a cell."""
    return Box(area.x() - cell.x(), area.y() - cell.y(), area.width(), area.height())
