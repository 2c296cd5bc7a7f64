"""Days as pictures: each part of a day is painted once and kept until something in the day changes."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPixmap

from app.desktop.calendar.placement import Box, DayLayout

_BYTES_PER_PIXEL = 4
_SCREENS = 2.6
"""How many viewports' worth of days are kept: the month in view and both neighbours share their weeks."""

_LEAST_BYTES = 12 * 1024 * 1024


class Tile(NamedTuple):
    """A part of a day that has a picture of its own; ``paint`` paints it where it is in the day's cell."""

    box: Box
    paint: Callable[[QPainter], None]


PlaceDay = Callable[[int], DayLayout]
CutDay = Callable[[int, DayLayout], Sequence[Tile]]


class CellCache:
    """Layouts and pictures of days, the pictures bounded in bytes, least recently seen days going first."""

    def __init__(self, place: PlaceDay, cut: CutDay) -> None:
        self._place = place
        self._cut = cut
        self._layouts: dict[int, DayLayout] = {}
        self._tiles: dict[int, Sequence[Tile]] = {}
        self._pictures: OrderedDict[int, dict[int, QPixmap]] = OrderedDict()
        self._bytes = 0
        self._budget = _LEAST_BYTES

    def set_viewport(self, width: int, height: int, ratio: float) -> None:
        """Sets the budget from the size of the viewport, in logical pixels, and the device pixel ratio."""
        screen = width * height * ratio * ratio * _BYTES_PER_PIXEL
        self._budget = max(_LEAST_BYTES, round(screen * _SCREENS))
        self._shrink()

    def layout(self, day: int) -> DayLayout:
        """Where the day's cards are."""
        known = self._layouts.get(day)
        if known is None:
            known = self._layouts[day] = self._place(day)
        return known

    def pictures(self, day: int, area: Box, ratio: float) -> Iterator[tuple[Box, QPixmap]]:
        """What shows in an area of a day, on a transparent ground; boxes and area are the cell's."""
        found = self._pictures.setdefault(day, {})
        self._pictures.move_to_end(day)
        for number, tile in enumerate(self._tiles_of(day)):
            if tile.box.intersects(area):
                picture = found.get(number)
                if picture is None:
                    picture = found[number] = _painted(tile, ratio)
                    self._bytes += _size(picture)
                yield tile.box, picture
        self._shrink()

    def has_pictures(self, day: int, area: Box) -> bool:
        """Whether an area of a day can be shown without painting it."""
        found = self._pictures.get(day, {})
        return day in self._tiles and all(
            number in found or not tile.box.intersects(area) for number, tile in enumerate(self._tiles[day])
        )

    @property
    def has_room(self) -> bool:
        """Whether another day can be painted ahead without pushing one out."""
        return self._bytes < self._budget * 0.9

    def drop(self, days: Iterable[int]) -> None:
        """Forgets days that changed."""
        for day in days:
            self._layouts.pop(day, None)
            self._tiles.pop(day, None)
            self._bytes -= sum(map(_size, self._pictures.pop(day, {}).values()))

    def drop_card(self, day: int, key: str) -> None:
        """Forgets the pictures that a card is in: it looks different now, and stays where it is."""
        found = self._pictures.get(day, {})
        boxes = [card.box for card in self.layout(day).cards if card.post.key == key] if found else []
        for number, tile in enumerate(self._tiles_of(day) if boxes else ()):
            if number in found and tile.box.intersects(boxes[0]):
                self._bytes -= _size(found.pop(number))

    def clear(self) -> None:
        """Forgets everything: another size, theme or filter."""
        self._layouts.clear()
        self._tiles.clear()
        self._pictures.clear()
        self._bytes = 0

    def _tiles_of(self, day: int) -> Sequence[Tile]:
        known = self._tiles.get(day)
        if known is None:
            known = self._tiles[day] = self._cut(day, self.layout(day))
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
