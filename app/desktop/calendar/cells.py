"""Days as pictures: each is painted once and kept until something in it changes."""

from collections import OrderedDict
from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPixmap

from app.desktop.calendar.placement import DayLayout

_BYTES_PER_PIXEL = 4
_SCREENS = 2.6
"""How many viewports' worth of days are kept: the month in view and both neighbours share their weeks."""

_LEAST_BYTES = 12 * 1024 * 1024

PlaceDay = Callable[[int], DayLayout]
PaintDay = Callable[[QPainter, int, DayLayout], None]


class CellCache:
    """Layouts and pictures of days, the pictures bounded in bytes, least recently used going first."""

    def __init__(self, place: PlaceDay, paint: PaintDay) -> None:
        self._place = place
        self._paint = paint
        self._layouts: dict[int, DayLayout] = {}
        self._pictures: OrderedDict[int, QPixmap] = OrderedDict()
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

    def picture(self, day: int, width: int, height: int, ratio: float) -> QPixmap:
        """The day's picture on a transparent ground."""
        known = self._pictures.get(day)
        if known is not None:
            self._pictures.move_to_end(day)
            return known
        picture = QPixmap(round(width * ratio), round(height * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        self._paint(painter, day, self.layout(day))
        painter.end()
        self._pictures[day] = picture
        self._bytes += _size(picture)
        self._shrink()
        return picture

    def has_picture(self, day: int) -> bool:
        """Whether a day can be shown without painting it."""
        return day in self._pictures

    @property
    def has_room(self) -> bool:
        """Whether another day can be painted ahead without pushing one out."""
        return self._bytes < self._budget * 0.9

    def drop(self, days: Iterable[int]) -> None:
        """Forgets days that changed."""
        for day in days:
            self._layouts.pop(day, None)
            if (picture := self._pictures.pop(day, None)) is not None:
                self._bytes -= _size(picture)

    def clear(self) -> None:
        """Forgets everything: another size, theme or filter."""
        self._layouts.clear()
        self._pictures.clear()
        self._bytes = 0

    def _shrink(self) -> None:
        while self._bytes > self._budget and len(self._pictures) > 1:
            _, oldest = self._pictures.popitem(last=False)
            self._bytes -= _size(oldest)


def _size(picture: QPixmap) -> int:
    return picture.width() * picture.height() * _BYTES_PER_PIXEL
