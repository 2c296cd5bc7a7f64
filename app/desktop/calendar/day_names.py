"""Names of days for what is painted: each is asked of the language once, as paint has no time for it."""

from datetime import date
from functools import lru_cache

from app.desktop import words
from app.language import weekday_short

_KEPT = 1_024


@lru_cache(maxsize=_KEPT)
def weekday_name(day: int) -> str:
    """``Wed`` of a day, an ordinal."""
    return weekday_short(date.fromordinal(day))


@lru_cache(maxsize=_KEPT)
def date_name(day: int) -> str:
    """``25 Nov``."""
    return words.date_short(date.fromordinal(day))


@lru_cache(maxsize=_KEPT)
def day_name(day: int) -> str:
    """``Wed 25 Nov``."""
    return words.day(date.fromordinal(day))
