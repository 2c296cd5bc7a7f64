"""On which day weeks begin, as the person wants it: one choice for the whole app, like the theme."""

from app.workspace.preferences import WEEK_STARTS
from app.workspace.time.wall import weekday

CHOICES = MONDAY, SATURDAY, SUNDAY = WEEK_STARTS

_chosen = [MONDAY]


def begin_on(day: int) -> None:
    """Set the weekday on which weeks begin, 0 for Monday. Widgets that show weeks must be rebuilt."""
    _chosen[0] = day % 7


def first_weekday() -> int:
    """The weekday on which weeks begin, 0 for Monday."""
    return _chosen[0]


def first_of(day: int) -> int:
    """The first day of the week that a day is in; days are proleptic ordinals."""
    return day - (weekday(day) - _chosen[0]) % 7
