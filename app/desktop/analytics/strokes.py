"""What a line chart shows: lines, and what stands below them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF

from app.desktop.usage.actions import axis


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line. ``color`` is a role or `#RRGGBB`; NaN leaves a gap."""

    name: str
    color: str
    values: NDArray[np.float64]
    is_dashed: bool = False
    is_filled: bool = False

    @property
    def last(self) -> int | None:
        """The last place with a value."""
        known = np.flatnonzero(~np.isnan(self.values))
        return int(known[-1]) if known.size else None

    @property
    def lonely(self) -> set[int]:
        """Places with a value between gaps, where no line is to be seen."""
        known = np.concatenate(([False], ~np.isnan(self.values), [False]))
        return set(np.flatnonzero(known[1:-1] & ~known[:-2] & ~known[2:]).tolist())


@dataclass(frozen=True, slots=True)
class Axis:
    """What stands below: how many places there are, some of their names, the place of today, and the marks.

    ``marks`` are places with colours.
    """

    places: int
    names: Sequence[tuple[int, str]]
    today: int | None = None
    marks: Sequence[tuple[int, str]] = ()


def pieces(x: NDArray[np.float64], y: NDArray[np.float64]) -> list[QLineF]:
    """A line piece by piece, without those that a gap (NaN) touches.

    Qt draws them in a tenth of the time of the whole line, and it is not seen where one ends.
    """
    ends = np.column_stack((x[:-1], y[:-1], x[1:], y[1:]))
    return [QLineF(*one) for one in ends[~np.isnan(ends).any(axis=1)].tolist()]


def ticks_around(strokes: Sequence[Stroke]) -> list[int]:
    """Round numbers around everything that the lines tell."""
    values = [one.values[~np.isnan(one.values)] for one in strokes]
    most = max((float(one.max()) for one in values if one.size), default=0.0)
    least = min((float(one.min()) for one in values if one.size), default=0.0)
    ticks = axis(int(most + 0.999))
    if least < 0:
        step = ticks[1] - ticks[0]
        ticks = [-step * times for times in range(int(-least // step) + 1, 0, -1)] + ticks
    return ticks
