"""What a line chart shows: lines, and what is below them. No Qt."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.desktop.charts.scale import Values, last_known, runs


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line. ``color`` is a role or `#RRGGBB`; None among the values leaves a gap.

    A quiet stroke draws no line: its value shows only at the place that is asked for.
    """

    name: str
    color: str
    values: Values
    is_dashed: bool = False
    is_filled: bool = False
    is_quiet: bool = False

    @property
    def last(self) -> int | None:
        """The last place with a value."""
        return last_known(self.values)

    @property
    def dots(self) -> set[int]:
        """Places that need a dot: between gaps, where no line is to be seen, and the end of a solid line."""
        found = {places[0] for places in runs(self.values) if len(places) == 1}
        return found if self.last is None or self.is_dashed else found | {self.last}

    def value(self, place: int) -> float | None:
        """Return the value at a place; None beyond the ends."""
        return self.values[place] if 0 <= place < len(self.values) else None


@dataclass(frozen=True, slots=True)
class Axis:
    """What is below the lines.

    Attributes:
        places: How many places there are.
        names: Some of them with their names.
        today: The place of today; None if it is not among them.
        marks: Places with colours, as dots below the lines.
        asked: How many places can be asked for, from the first on; all if None.
        note: Today's number, and what it is.
    """

    places: int
    names: Sequence[tuple[int, str]]
    today: int | None = None
    marks: Sequence[tuple[int, str]] = ()
    asked: int | None = None
    note: tuple[str, str] | None = None
