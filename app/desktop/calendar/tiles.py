"""The parts of a day that are painted apart from each other."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtGui import QPainter

from app.desktop.calendar.placement import Box

_MOST_AREAS = 8
"""What is painted of a day, what of it is below the view's round corners, and what is painted ahead."""


class Tile(NamedTuple):
    """A part of a day that has a picture of its own.

    ``paint`` paints it where it is in the day's cell. ``sketch`` paints no more than that something is there,
    with the cell's corner at a point, in a fraction of that time; None for what may as well come later.
    """

    box: Box
    paint: Callable[[QPainter], None]
    sketch: Callable[[QPainter, int, int], None] | None = None


class DayTiles:
    """The tiles of a day, in the order in which they are painted, and found by where they are."""

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
        """The numbers of those in an area of the cell; the same area is asked for again and again."""
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
