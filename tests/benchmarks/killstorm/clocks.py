"""Wrong computer clocks, which can be set while programs run."""

from dataclasses import dataclass
from random import Random
from typing import Final

_HOUR_S: Final = 3600
_WRONG: Final = (-_HOUR_S, 0, _HOUR_S)
_LONGEST_S: Final = 30.0


@dataclass(frozen=True)
class Clock:
    """How many seconds a clock is ahead, and its change ``set_after_s`` after the program's start."""

    first: int = 0
    then: int = 0
    set_after_s: float = 0.0

    @property
    def is_right(self) -> bool:
        return self.first == self.then == 0


RIGHT: Final = Clock()


class Clocks:
    """Draws a clock for each start of a program; all are right if ``random`` is None."""

    def __init__(self, random: Random | None = None) -> None:
        self._random = random
        self.wrong = 0

    def draw(self) -> Clock:
        """Return the clock of a starting program; ``wrong`` counts wrong ones."""
        if self._random is None:
            return RIGHT
        choice = self._random.choice
        clock = Clock(choice(_WRONG), choice(_WRONG), self._random.uniform(0, _LONGEST_S))
        self.wrong += not clock.is_right
        return clock

    def set_right(self) -> None:
        """Start all later programs with a correct clock."""
        self._random = None
