"""Clocks of computers that are wrong, and that are set while programs run."""

from dataclasses import dataclass
from random import Random
from typing import Final

_HOUR_S: Final = 3600
_WRONG: Final = (-_HOUR_S, 0, _HOUR_S)
_LONGEST_S: Final = 30.0


@dataclass(frozen=True)
class Clock:
    """By how many seconds a program's clock is ahead, and from ``set_after_s`` after its start on."""

    first: int = 0
    then: int = 0
    set_after_s: float = 0.0

    @property
    def is_right(self) -> bool:
        return self.first == self.then == 0


RIGHT: Final = Clock()


class Clocks:
    """Draws a clock for each start of a program; ``random`` None: all are right."""

    def __init__(self, random: Random | None = None) -> None:
        self._random = random
        self.wrong = 0

    def draw(self) -> Clock:
        """The clock of a program that is about to start; ``wrong`` counts those that aren't right."""
        if self._random is None:
            return RIGHT
        choice = self._random.choice
        clock = Clock(choice(_WRONG), choice(_WRONG), self._random.uniform(0, _LONGEST_S))
        self.wrong += not clock.is_right
        return clock

    def set_right(self) -> None:
        """From now on every program starts with a clock that is right."""
        self._random = None
