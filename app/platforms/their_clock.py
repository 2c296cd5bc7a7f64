"""What a platform's clock says, as far as its answers tell.

After a lost answer a platform is asked for items since the call began, by our clock. Where that one is ahead
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
"""How far clocks may be apart without anybody having noticed."""
_YEARS: Final = range(2020, 2200)
"""What a platform's clock can show; another year is an answer that went wrong."""


class TheirClock:
    """How far our clock is ahead of a platform's, by the newest answer with a date."""

    def __init__(self, clock: Clock, heard: Heard | None = None) -> None:
        self._clock = clock
        self._heard = heard
        self._ahead = timedelta()

    def note(self, date: str, asked: float) -> None:
        """Takes the ``Date`` of an answer that has just come to a call made at ``asked``, the loop's time.

        Anything else is ignored.
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
        """The earliest moment by the platform's clock that may be meant with one of ours.

        Only ever earlier: where ours is behind by now, it may have been right then.
        """
        return ours - _SKEW - self._ahead
