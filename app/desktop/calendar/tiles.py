"""Days as pictures: each part of a day is painted once and cached until something in the day changes."""

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPixmap

from app.desktop.calendar.placement import Box, DayLayout

_MOST_AREAS = 8
"""Maximum number of areas cached per day: visible ones, those below round corners, and prefetched ones."""


_MOST_CARDS = 1_500
"""Maximum number of cards of the cached layouts: about three full screens of any view."""


_LEAST_DAYS = 21
"""Minimum number of cached layouts: those of three weeks."""


class Tile(NamedTuple):
    """A part of a day with a separate picture.

    ``paint`` paints it at its place in the day's cell. ``sketch`` only paints that something is there, with
    the cell's corner at a point, in a fraction of the time; None for parts that may appear later.
    """

    box: Box
    paint: Callable[[QPainter], None]
    sketch: Callable[[QPainter, int, int], None] | None = None


class DayTiles:
    """The tiles of a day, in painting order, searchable by position."""

    def __init__(self, tiles: Sequence[Tile]) -> None:
        self._tiles = tiles
        self._by_top = sorted(range(len(tiles)), key=lambda number: tiles[number].box.y)
        self._tops = [tiles[number].box.y for number in self._by_top]
        self._tallest = max((tile.box.height for tile in tiles), default=0)
        self._found: dict[Box, list[int]] = {}

    def __len__(self) -> int:
        return len(self._tiles)

    def __getitem__(self, number: int) -> Tile:
        return self._tiles[number]

    def within(self, area: Box) -> list[int]:
        """Return the indices of the tiles in an area of the cell; cached, because areas recur."""
        found = self._found.get(area)
        if found is None:
            if len(self._found) >= _MOST_AREAS:
                self._found.clear()
            found = self._found[area] = self._search(area)
        return found

    def _search(self, area: Box) -> list[int]:
        first = bisect_right(self._tops, area.y - self._tallest)
        last = bisect_left(self._tops, area.y + area.height)
        near = sorted(self._by_top[first:last])
        return [number for number in near if self._tiles[number].box.intersects(area)]


_BYTES_PER_PIXEL = 4
_SCREENS = 2.2
"""Size of the cache in viewports: the month in view shares weeks with both neighbours."""

_LEAST_BYTES = 12 * 1024 * 1024


PlaceDay = Callable[[int], DayLayout]
CutDay = Callable[[int, DayLayout], Sequence[Tile]]


class Budget:
    """How many pictures may be painted; None for no limit."""

    def __init__(self, pictures: int | None = None) -> None:
        self._left = pictures
        self.is_exceeded = False
        """Whether a picture was needed that could not be made."""

    def take(self) -> bool:
        """Take one picture from the budget, and return whether it may be painted."""
        if self._left is None:
            return True
        self.is_exceeded = self.is_exceeded or self._left == 0
        self._left = max(0, self._left - 1)
        return not self.is_exceeded


class CellCache:
    """Layouts and pictures of days; an LRU cache of days, limited by the bytes of its pictures."""

    def __init__(self, place: PlaceDay, cut: CutDay) -> None:
        self._place = place
        self._cut = cut
        self._layouts: OrderedDict[int, DayLayout] = OrderedDict()
        self._cards = 0
        """Number of cards in the layouts."""
        self._tiles: dict[int, DayTiles] = {}
        self._pictures: OrderedDict[int, dict[int, QPixmap]] = OrderedDict()
        self._bytes = 0
        self._budget = _LEAST_BYTES

    def set_viewport(self, width: int, height: int, ratio: float) -> None:
        """Set the budget from the size of the viewport, in logical pixels, and the device pixel ratio."""
        screen = width * height * ratio * ratio * _BYTES_PER_PIXEL
        self._budget = max(_LEAST_BYTES, round(screen * _SCREENS))
        self._shrink()

    def layout(self, day: int) -> DayLayout:
        """Return the layout of the day's cards."""
        known = self._layouts.get(day)
        if known is None:
            known = self._layouts[day] = self._place(day)
            self._cards += len(known.cards)
            while self._cards > _MOST_CARDS and len(self._layouts) > _LEAST_DAYS:
                oldest, layout = self._layouts.popitem(last=False)
                self._cards -= len(layout.cards)
                self._tiles.pop(oldest, None)
        return known

    def pictures(
        self, day: int, area: Box, ratio: float, budget: Budget
    ) -> Iterator[tuple[Tile, QPixmap | None]]:
        """Yield the pictures in an area of a day, on a transparent background; boxes and area are the cell's.

        The picture is None for a tile that exceeds the budget.
        """
        found = self._pictures.setdefault(day, {})
        self._pictures.move_to_end(day)
        tiles = self._tiles_of(day)
        for number in tiles.within(area):
            picture = found.get(number)
            if picture is None and budget.take():
                picture = found[number] = _painted(tiles[number], ratio)
                self._bytes += _size(picture)
            yield tiles[number], picture
        self._shrink()

    def missing(self, day: int, area: Box) -> int:
        """Return how many pictures an area of a day still lacks."""
        found, tiles = self._pictures.get(day, {}), self._tiles_of(day)
        if len(found) == len(tiles):
            return 0
        near = tiles.within(area)
        return len(near) - sum(map(found.__contains__, near))

    def has_pictures(self, day: int, area: Box) -> bool:
        """Whether all pictures of an area of a day are cached."""
        return day in self._tiles and not self.missing(day, area)

    @property
    def has_room(self) -> bool:
        """Whether another day can be painted in advance without dropping one."""
        return self._bytes < self._budget * 0.9

    def drop(self, days: Iterable[int]) -> None:
        """Discard days that changed."""
        for day in days:
            if (layout := self._layouts.pop(day, None)) is not None:
                self._cards -= len(layout.cards)
            self._tiles.pop(day, None)
            self._bytes -= sum(map(_size, self._pictures.pop(day, {}).values()))

    def drop_card(self, day: int, key: str) -> None:
        """Discard the pictures with a card that looks different, but stays where it is."""
        found = self._pictures.get(day, {})
        boxes = [card.box for card in self.layout(day).cards if card.post.key == key] if found else []
        for number in self._tiles_of(day).within(boxes[0]) if boxes else ():
            if number in found:
                self._bytes -= _size(found.pop(number))

    def clear(self) -> None:
        """Discard everything, for another size, theme or filter."""
        self._layouts.clear()
        self._cards = 0
        self._tiles.clear()
        self._pictures.clear()
        self._bytes = 0

    def _tiles_of(self, day: int) -> DayTiles:
        known = self._tiles.get(day)
        if known is None:
            known = self._tiles[day] = DayTiles(self._cut(day, self.layout(day)))
        return known

    def _shrink(self) -> None:
        while self._bytes > self._budget and len(self._pictures) > 1:
            _, oldest = self._pictures.popitem(last=False)
            self._bytes -= sum(map(_size, oldest.values()))


def _painted(tile: Tile, ratio: float) -> QPixmap:
    picture = QPixmap(round(tile.box.width * ratio), round(tile.box.height * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.translate(-tile.box.x, -tile.box.y)
    tile.paint(painter)
    painter.end()
    return picture


def _size(picture: QPixmap) -> int:
    return picture.width() * picture.height() * _BYTES_PER_PIXEL
