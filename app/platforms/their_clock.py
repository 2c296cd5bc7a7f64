"""A platform's clock, as known from its responses.

After a lost response, a platform is asked for items since the call began, by our clock. If our clock is ahead
of the platform's, the item would seem too old, and would be sent again.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

from app.platforms.base import Clock

Heard = Callable[[datetime, float], None]
"""Called with a platform's time and the event loop's time of the request."""

_SKEW: Final = timedelta(minutes=2)
"""How far apart clocks may be without this being known."""
_YEARS: Final = range(2020, 2200)
"""Years a platform's clock can show; any other year is an error."""


class TheirClock:
    """How far our clock is ahead of a platform's, by its latest response with a date."""

    def __init__(self, clock: Clock, heard: Heard | None = None) -> None:
        self._clock = clock
        self._heard = heard
        self._ahead = timedelta()

    def note(self, date: str, asked: float) -> None:
        """Record the ``Date`` of a response to a call made at ``asked``, on the loop's clock.

        Ignores invalid dates.
        """
        try:
            theirs = parsedate_to_datetime(date)
        except (ValueError, OverflowError):
            return
        if theirs.year not in _YEARS:
            return
        if theirs.tzinfo is None:
            theirs = theirs.replace(tzinfo=UTC)
        if self._heard is not None:
            self._heard(theirs, asked)
        self._ahead = max(self._clock() - theirs, timedelta())

    def since(self, ours: datetime) -> datetime:
        """Return the earliest time on the platform's clock that corresponds to one on ours.

        Only ever earlier: if our clock is behind now, it may have been right then.
        """
        return ours - _SKEW - self._ahead
