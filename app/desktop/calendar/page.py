"""The base of all views of days: days with cards, painted from pictures."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import groupby

from PySide6.QtCore import QPoint, QRect, QRectF
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
from app.desktop.widgets.painting import rounded
from app.language import number, tr
from app.workspace.posts.planned import PlannedPost
from app.workspace.time.wall import MINUTE_MS

_MORE_INSET = 6
"""Distance of the text "+n more" from the edge of its rectangle."""


class Page(ABC):
    """A view of days. The grid keeps ``now`` (ms) up to date."""

    has_empty_days = True
    """Whether days without posts are shown, too."""

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
        """The positions of the days."""

    @abstractmethod
    def arrange(self, posts: Collection[PlannedPost], day: int) -> DayLayout:
        """Lay out the cards of a day's posts (sorted by time), relative to its cell."""

    def place(self, day: int) -> DayLayout:
        """Lay out a day's cards, including that of posts being written for it."""
        posts, composing = self.model.glance(day), self.composing
        if composing is None or not composing.count or not self.is_composing(day):
            return self.arrange(posts, day)
        return set_apart(self.arrange(composing.among(posts), day))

    def is_composing(self, day: int) -> bool:
        """Whether posts are being written for a day."""
        return self.composing is not None and self.composing.day == day

    @abstractmethod
    def ground(self, day: int) -> str:
        """Return the colour role of a day's background."""

    @abstractmethod
    def target(self, x: int, y: int, *, fine: bool, keep_time: bool) -> Target | None:
        """Return where a post would land if its top left corner is at a point of the canvas."""

    @abstractmethod
    def time_height(self, pointer: int, grip: int) -> int:
        """Return the height that decides a drag's time: the pointer's, or the top of the card."""

    def line_height(self, target: Target | None) -> int | None:
        """Return the height of a target's time line on the canvas; None without one."""
        del target
        return None

    @abstractmethod
    def moves(self, posts: list[PlannedPost], grabbed: PlannedPost, target: Target) -> Landings:
        """Return the new times if ``grabbed`` lands on ``target`` and the others keep their distance."""

    def pass_time(self, now: int) -> bool:
        """Set the time, which separates past from future; return whether a new minute has started."""
        before, self.now = self.now, now
        has_passed = before // MINUTE_MS != now // MINUTE_MS
        if has_passed:
            self.cells.drop({self.today})
        return has_passed

    def set_ratio(self, ratio: float) -> None:
        """Set the device pixels per logical pixel."""
        if ratio != self.ratio:
            self.ratio = ratio
            self.cells.clear()

    def tiles(self, day: int, layout: DayLayout) -> Sequence[Tile]:
        """Return the separately painted parts of a day: here the whole cell."""
        cell = self.geometry.cell(day)
        whole = Box(0, 0, cell.width, cell.height)
        return (Tile(whole, partial(self.paint_day, day=day, layout=layout)),)

    def paint_day(self, painter: QPainter, day: int, layout: DayLayout) -> None:
        """Paint a day's cards at the origin; subclasses add other parts of a day."""
        del day
        for card in layout.cards:
            self.paint_card(painter, card.post, card.box, card.style)
        if layout.new is not None:
            self.paint_new(painter, layout.new.post, layout.new.box)

    def paint_new(self, painter: QPainter, post: PlannedPost, box: Box) -> None:
        """Paint the card of posts that are being written."""
        count = self.composing.count if self.composing is not None else 0
        self.cards.paint_new(painter, post, box, count)

    def paint_card(
        self, painter: QPainter, post: PlannedPost, box: Box, style: CardStyle, *, timed: bool = True
    ) -> None:
        """Paint one post, with or without its time."""
        self.cards.paint(painter, post, box, style, self.now, self.ratio, timed=timed)

    @property
    def times_on_the_way(self) -> Sequence[str]:
        """Return the times of day that a drag on this page can reach."""
        return ()

    def time_line(self, post: PlannedPost, box: Box, style: CardStyle) -> Line | None:
        """Return the time of a card that was painted without it."""
        return self.cards.time_line(post, box, style, self.now)

    def paint_ring(self, painter: QPainter, post: PlannedPost, box: Box, ring: Ring) -> None:
        """Paint a ring around a post's card."""
        self.cards.paint_ring(painter, post, box, self.now, self.ratio, ring)

    def prefetches(self) -> bool:
        """Whether it's worth painting the days around the view in advance."""
        return True

    def paint(self, painter: QPainter, area: QRect, corner: QPoint, budget: Budget) -> None:
        """Paint the days in an area of the viewport; ``corner`` is its corner on the canvas.

        Pictures beyond the budget are omitted or only sketched.
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
        """Fill the background of days, adjacent ones together.

        ``cells`` are days in order with their rectangles on the viewport; ``area`` is the part to paint.
        """
        del area
        for (role, _), run in groupby(cells, key=lambda one: (self._role_below(one[0]), one[1].top())):
            alike = [cell for _, cell in run]
            painter.fillRect(alike[0].united(alike[-1]), self.color(role))

    def _role_below(self, day: int) -> str:
        return "accent_soft" if self.is_composing(day) else self.ground(day)

    def _rule(self, painter: QPainter, cells: Sequence[QRect]) -> None:
        """Draw the lines to the right of and below days that fill a rectangle."""
        line, whole = self.color("line2"), cells[0].united(cells[-1])
        for right in {cell.right() for cell in cells}:
            painter.fillRect(right, whole.top(), 1, whole.height(), line)
        for bottom in {cell.bottom() for cell in cells}:
            painter.fillRect(whole.left(), bottom, whole.width(), 1, line)

    def paint_cell(self, painter: QPainter, day: int, cell: QRect, area: QRect) -> None:
        """Paint one day: its background, then its cards; ``area`` is the part of the viewport to paint."""
        self.paint_grounds(painter, [(day, cell)], area)
        self.paint_cards(painter, day, cell, area, Budget())

    def paint_target(self, painter: QPainter, day: int, cell: QRect, area: QRect, role: str) -> None:
        """Paint the day that a drag would land on, with its own background."""
        painter.fillRect(cell, self.color(role))
        self.paint_cards(painter, day, cell, area, Budget())

    def paint_cards(self, painter: QPainter, day: int, cell: QRect, area: QRect, budget: Budget) -> None:
        """Paint the content of a day from its pictures."""
        left, top = cell.x(), cell.y()
        for tile, picture in self.cells.pictures(day, _within(area, cell), self.ratio, budget):
            if picture is not None:
                painter.drawPixmap(left + tile.box.x, top + tile.box.y, picture)
            elif tile.sketch is not None:
                tile.sketch(painter, left, top)

    def paint_ahead(self, day: int, area: Box, budget: Budget) -> None:
        """Make the pictures of a day's part in an area of the canvas."""
        cell = self.geometry.cell(day)
        for _ in self.cells.pictures(day, area.moved(-cell.x, -cell.y), self.ratio, budget):
            pass

    def missing(self, area: Box) -> int:
        """Return how many pictures are missing in an area of the canvas."""
        return sum(
            self.cells.missing(day, area.moved(-cell.x, -cell.y))
            for day in self.geometry.days_in(area)
            if (cell := self.geometry.cell(day)).intersects(area)
        )

    def is_painted(self, day: int, area: Box) -> bool:
        """Whether a day's part in an area of the canvas has its pictures."""
        cell = self.geometry.cell(day)
        return self.cells.has_pictures(day, area.moved(-cell.x, -cell.y))

    def color(self, role: str) -> QColor:
        """Return a colour of the theme."""
        return self.cards.color(role)

    def card_of(self, post: PlannedPost) -> tuple[Box, PlacedCard] | None:
        """Return a post's card and its rectangle on the canvas; None if it's behind "+n more"."""
        day, key = self.days.day_of(post.at), self.model.lead(post).key
        cell = self.geometry.cell(day)
        for card in self.cells.layout(day).cards:
            if card.post.key == key:
                return card.box.moved(cell.x, cell.y), card
        return None

    def alone(self, post: PlannedPost) -> PlacedCard:
        """Return the card that a post would have alone on a day."""
        return self.arrange((post,), self.days.day_of(post.at)).cards[0]

    def card_at(self, x: int, y: int) -> PlacedCard | None:
        """Return the card at a point of the canvas."""
        day = self.geometry.day_at(x, y)
        if day is None:
            return None
        cell = self.geometry.cell(day)
        cards = reversed(self.cells.layout(day).cards)
        return next((card for card in cards if card.box.contains(x - cell.x, y - cell.y)), None)

    def focus_box(self, day: int, half_hour: int | None) -> Box:
        """Return the rectangle of a day on the canvas, or of its half hour that begins at an instant."""
        del half_hour
        return self.geometry.cell(day)

    def slots_on(self, day: int) -> Sequence[tuple[Box, FreeSlot]]:
        """Return a day's free slots with their rectangles on the canvas, sorted by time."""
        del day
        return ()

    def slot_at(self, x: int, y: int) -> FreeSlot | None:
        """Return the free slot at a point of the canvas."""
        day = self.geometry.day_at(x, y)
        there = self.slots_on(day) if day is not None else ()
        return next((slot for box, slot in there if box.contains(x, y)), None)

    def more_at(self, x: int, y: int) -> int | None:
        """Return the day whose "+n more" is at a point of the canvas."""
        day = self.geometry.day_at(x, y)
        if day is None:
            return None
        cell = self.geometry.cell(day)
        more = self.cells.layout(day).more
        return day if more is not None and more.contains(x - cell.x, y - cell.y) else None

    def cards_in(self, area: Box) -> Iterator[tuple[Box, PlacedCard]]:
        """Yield the cards of all days in a part of the canvas, with their rectangles there."""
        for day in self.geometry.days_in(area):
            cell = self.geometry.cell(day)
            for card in self.cells.layout(day).cards:
                yield card.box.moved(cell.x, cell.y), card

    def paint_more(self, painter: QPainter, day: int, layout: DayLayout, *, hovered: bool = False) -> None:
        """Paint "+n more" if posts are hidden: among hours and below the pointer as a pill."""
        if layout.more is None:
            return
        more, small = layout.more, self.cards.small
        hidden = self.model.count_on(day) - self.model.count(card.post for card in layout.cards)
        is_wide = more.width > 60 * self.cards.scale
        words = tr("+{n} more", n=hidden) if is_wide else f"+{number(hidden)}"
        width = small.width(words)
        left = more.x + ((more.width - width) / 2 if layout.behind else _MORE_INSET)
        if layout.behind or hovered:
            pill = (
                QRectF(*more)
                if layout.behind
                else QRectF(more.x, more.y, width + 2 * _MORE_INSET, more.height)
            )
            fill = "sunken" if hovered else "surface"
            rounded(painter, pill, pill.height() / 2, fill=fill, line="line")
        painter.setPen(self.color("text2"))
        small.write(painter, left, small.middle(more.y, more.height), words)


def _within(area: QRect, cell: QRect) -> Box:
    """Return an area of the viewport in coordinates of a cell."""
    return Box(area.x() - cell.x(), area.y() - cell.y(), area.width(), area.height())
