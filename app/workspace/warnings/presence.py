"""When this computer is usually on with Kalends running, learned from the last four weeks."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pydantic import TypeAdapter

from app.database import DatabaseError
from app.language import tr
from app.workspace.core import Core
from app.workspace.store.tables import get_setting, put_setting
from app.workspace.time.wall import DAY_MS

HOUR_MS: Final = 3_600_000
WEEK_MS: Final = 7 * DAY_MS
_KEPT_DAYS: Final = 28
_FEWEST_WEEKS: Final = 2
_FEWEST_DAYS: Final = 3
_MOST_DAYS: Final = 7

KEPT: TypeAdapter[dict[int, int]] = TypeAdapter(dict[int, int])
"""By day since 1970 UTC, one bit per hour."""
_NAME: Final = "hours_on"
_log = logging.getLogger(__name__)


class Habit(NamedTuple):
    """For how many days or weeks in a row this computer was off or asleep at the hour of a post."""

    times: int
    weekly: bool

    def __str__(self) -> str:
        if self.weekly:
            return tr(
                "Kalends wasn't running at that time of the week in any of the last {n} weeks.", n=self.times
            )
        return tr("Kalends wasn't running at that time of day on any of the last {n} days.", n=self.times)


@dataclass(slots=True)
class Presence:
    """The hours in which Kalends ran. A sleeping computer doesn't run it.

    An hour counts together with its neighbours: habits aren't exact, and the clock changes twice a year.
    """

    days: dict[int, int] = field(default_factory=dict)

    def note(self, now: int) -> bool:
        """Note that Kalends is running; return whether that's new and has to be stored."""
        day, bit = _place(now)
        before = self.days.get(day, 0)
        self.days[day] = before | bit
        for old in [one for one in self.days if one <= day - _KEPT_DAYS]:
            del self.days[old]
        return self.days[day] != before

    def copy(self) -> "Presence":
        """Return a copy for another thread."""
        return Presence(dict(self.days))

    def was_off(self, at: int, now: int) -> Habit | None:
        """Return how regularly this computer was off at the hour of a future moment.

        None if it was on, or too little is known.
        """
        weeks = list(self._samples(at, now, WEEK_MS))
        if len(weeks) >= _FEWEST_WEEKS:
            return Habit(len(weeks), weekly=True) if not any(weeks) else None
        days = list(self._samples(at, now, DAY_MS))[:_MOST_DAYS]
        if len(days) >= _FEWEST_DAYS and not any(days):
            return Habit(len(days), weekly=False)
        return None

    def next_on(self, at: int, now: int) -> int | None:
        """Return the first full hour from ``at`` on, within a week, at which it was usually on."""
        hours = range(0, WEEK_MS, HOUR_MS)
        return next((at + later for later in hours if self.was_off(at + later, now) is None), None)

    def _samples(self, at: int, now: int, step: int) -> Iterator[bool]:
        """Whether it was on at the same hour of previous days, latest first, as far back as known."""
        if not self.days:
            return
        since = min(self.days) * DAY_MS + DAY_MS  # the first day wasn't complete
        latest = at - -(-(at - now + 2 * HOUR_MS) // step) * step
        for before in range(latest, since - 1, -step):
            yield self._was_on(before)

    def _was_on(self, at: int) -> bool:
        return any(self._bit(at + beside) for beside in (-HOUR_MS, 0, HOUR_MS))

    def _bit(self, at: int) -> bool:
        day, bit = _place(at)
        return bool(self.days.get(day, 0) & bit)


def _place(at: int) -> tuple[int, int]:
    day, rest = divmod(at, DAY_MS)
    return day, 1 << (rest // HOUR_MS)


class Attendance:
    """``presence`` is what's known; ``note`` is called about every minute while Kalends runs."""

    def __init__(self, core: Core) -> None:
        self.presence = Presence()
        self._core = core

    async def read(self) -> None:
        """Load what was stored."""
        try:
            kept = await self._core.database.read(lambda connection: get_setting(connection, _NAME, KEPT))
        except DatabaseError as error:
            _log.warning("when this computer was on could not be read: %s", error)
        else:
            self.presence = Presence(kept or {})

    async def note(self) -> None:
        """Note that Kalends is running now."""
        if not self.presence.note(self._core.clock()):
            return
        days = dict(self.presence.days)
        try:
            await self._core.commit(lambda connection: put_setting(connection, _NAME, days, KEPT))
        except DatabaseError as error:
            _log.warning("that this computer is on could not be kept: %s", error)
