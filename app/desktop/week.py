"""The first day of the week, as set by the user: one setting for the whole app, like the theme."""

from app.workspace.preferences import WEEK_STARTS
from app.workspace.time.wall import weekday

CHOICES = MONDAY, SATURDAY, SUNDAY = WEEK_STARTS

_chosen = [MONDAY]


def begin_on(day: int) -> None:
    """Set the first day of the week, 0 for Monday. Widgets that show weeks must be rebuilt."""
    _chosen[0] = day % 7


def first_weekday() -> int:
    """Return the first day of the week, 0 for Monday."""
    return _chosen[0]


def first_of(day: int) -> int:
    """Return the first day of a day's week; days are proleptic ordinals."""
    return day - (weekday(day) - _chosen[0]) % 7
