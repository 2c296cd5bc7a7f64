"""When everything is listed again."""

import asyncio
from math import inf

from app.workspace.clock import Pace


def _now() -> float:
    return asyncio.get_running_loop().time()


class Relisting:
    """An hour after the last time, and a minute after the service answered nonsense.

    Such a service may also have told a list that ended too early. Neither the changes that it tells by itself
    nor its newest posts would show that. Where it goes on with nonsense, the minute is doubled each time.
    """

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._due = inf
        self._listed_at = self._nonsense_at = -inf
        self._doubt = pace.second_look

    @property
    def is_due(self) -> bool:
        """Whether everything is to be listed now."""
        return _now() >= self._due

    def greeted(self) -> None:
        """The service was found again."""
        self._due = min(self._due, _now() + self._pace.everything_followed)

    def heard_nonsense(self) -> None:
        """A call failed since its answer made no sense."""
        self._nonsense_at = _now()
        self._due = min(self._due, self._nonsense_at + self._doubt)

    def listed(self, started: float) -> None:
        """Everything was listed from ``started`` on, by the loop's time."""
        hour = self._pace.everything_followed
        if self.is_due:
            goes_on = self._nonsense_at > self._listed_at
            self._doubt = min(2 * self._doubt, hour) if goes_on else self._pace.second_look
        self._listed_at, self._due = started, started + hour
        if self._nonsense_at > started - self._pace.second_look:
            self._due = min(self._due, _now() + self._doubt)
