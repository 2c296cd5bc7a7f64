"""The data of charts and its positions: lines, values, ticks and names. Pure functions, without Qt."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil, floor, log10
from typing import Final, NamedTuple

from app.language import number, trc

_UNITS: Final = (
    (1_000_000_000, trc("on an axis", "{number}bn")),
    (1_000_000, trc("on an axis", "{number}m")),
    (1_000, trc("on an axis", "{number}k")),
)
Values = Sequence[float | None]
"""A line's values from place to place; None leaves a gap."""
_STEPS: Final = 5
_PER_COLUMN: Final = 4
"""Points kept per column of pixels: the first, lowest, highest and last."""


def short_number(value: float) -> str:
    """Return ``12k`` or ``1.5m``."""
    for unit, words in _UNITS:
        if abs(value) >= unit:
            share = round(value / unit, 1)
            return words.format(number=number(share, 0 if share.is_integer() else 1))
    return f"{value:g}"


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line. ``color`` is a role or `#RRGGBB`; None among the values leaves a gap.

    A quiet stroke draws no line: its value is only shown at the inspected place. ``end`` is written where the
    line ends.
    """

    name: str
    color: str
    values: Values
    is_dashed: bool = False
    is_filled: bool = False
    is_quiet: bool = False
    end: str = ""

    @property
    def last(self) -> int | None:
        """The last place with a value."""
        return last_known(self.values)

    @property
    def dots(self) -> set[int]:
        """Return the places that need a dot: isolated values without a line, and the end of a solid line."""
        found = {places[0] for places in runs(self.values) if len(places) == 1}
        return found if self.last is None or self.is_dashed else found | {self.last}

    def value(self, place: int) -> float | None:
        """Return the value at a place; None beyond the ends."""
        return self.values[place] if 0 <= place < len(self.values) else None


@dataclass(frozen=True, slots=True)
class Axis:
    """The horizontal axis.

    Attributes:
        places: Number of places.
        names: Names of some of the places.
        today: The place of today; None if it isn't among them.
        marks: Places with colours, as dots below the lines.
        asked: Number of places that can be inspected, from the first on; all if None.
        note: Today's number, and what it is.
    """

    places: int
    names: Sequence[tuple[int, str]]
    today: int | None = None
    marks: Sequence[tuple[int, str]] = ()
    asked: int | None = None
    note: tuple[str, str] | None = None


class Scale(NamedTuple):
    """Maps values from ``low`` to ``high`` to pixels from ``start`` to ``end``, in either direction."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the position of a value, in pixels."""
        span = self.high - self.low
        return self.start + (self.end - self.start) * ((value - self.low) / span if span else 0.0)

    def value(self, pixel: float) -> float:
        """Return the value at a pixel."""
        room = self.end - self.start
        return self.low + (self.high - self.low) * ((pixel - self.start) / room if room else 0.0)


class Name(NamedTuple):
    """A place's name, ``width`` pixels wide, centred at ``middle``."""

    place: int
    words: str
    middle: float
    width: float


def round_ticks(most: float) -> list[int]:
    """Return round numbers from 0 to the first that reaches ``most``, at most six of them."""
    if most <= _STEPS:
        return list(range(max(1, ceil(most)) + 1))
    rough = most / _STEPS
    unit: int = 10 ** floor(log10(rough))
    steps = (unit * tenths // 10 for tenths in (10, 20, 25, 50, 100) if tenths != 25 or unit > 1)
    step = next(step for step in steps if step >= rough)
    return list(range(0, step * ceil(most / step) + 1, step))


def ticks_around(rows: Iterable[Values]) -> list[int]:
    """Return round numbers that enclose 0 and all values of some lines."""
    known = [value for row in rows for value in row if value is not None]
    ticks, least = round_ticks(max([0.0, *known])), min([0.0, *known])
    if least < 0:
        step = max(ticks[1], *round_ticks(-least)[1:2])
        ticks = list(range(0, step * ceil(ticks[-1] / step) + 1, step))
        ticks = [-step * times for times in range(ceil(-least / step), 0, -1)] + ticks
    return ticks


def runs(values: Values) -> list[range]:
    """Return the places with values, grouped into runs without a gap."""
    groups = groupby(range(len(values)), lambda place: values[place] is not None)
    found = [list(places) for is_known, places in groups if is_known]
    return [range(places[0], places[-1] + 1) for places in found]


def last_known(values: Values) -> int | None:
    """Return the last place with a value."""
    return next((place for place in reversed(range(len(values))) if values[place] is not None), None)


def nearest(scale: Scale, pixel: float, places: int) -> int | None:
    """Return the place nearest to a pixel, of places 0, 1, 2, ...; None beyond either end."""
    place = floor(scale.value(pixel) + 0.5)
    return place if 0 <= place < places else None


def thinned(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """Return fewer points that look the same: the first, lowest, highest and last per column of pixels.

    ``points`` are sorted from left to right.
    """
    if len(points) < 2 or len(points) <= _PER_COLUMN * (points[-1][0] - points[0][0] + 1):
        return points
    found: list[tuple[float, float]] = []
    for _, column in groupby(range(len(points)), lambda place: floor(points[place][0])):
        places = list(column)
        lowest, highest = (work(places, key=lambda place: points[place][1]) for work in (min, max))
        found += [points[place] for place in sorted({places[0], lowest, highest, places[-1]})]
    return found


def names_with_room(
    names: Iterable[Name], gap: float, taken: tuple[float, float] | None = None
) -> list[Name]:
    """Return the names, from left to right, that overlap neither the previous one nor what is ``taken``."""
    kept: list[Name] = []
    for name in names:
        left, right = name.middle - name.width / 2 - gap, name.middle + name.width / 2 + gap
        is_free = taken is None or right <= taken[0] or left >= taken[1]
        if is_free and (not kept or left >= kept[-1].middle + kept[-1].width / 2 + gap):
            kept.append(name)
    return kept


def apart(tops: Sequence[float], height: float, lowest: float) -> list[float]:
    """Return tops, sorted, moved so that none overlaps the next and none is below ``lowest``."""
    found: list[float] = []
    for top in tops:
        found.append(max(top, found[-1] + height) if found else max(0.0, top))
    limit = lowest
    for place in range(len(found) - 1, -1, -1):
        found[place] = min(found[place], limit)
        limit = found[place] - height
    return found
