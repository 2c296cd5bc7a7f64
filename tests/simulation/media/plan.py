"""What people do with files, and what happens to the store. Drawn from the seed, or played from a list."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

ACCOUNTS: Final = 2
CAP_BYTES: Final = 28_000
"""How much an account may store."""
_LARGEST: Final = 9_000
_HOUR_S: Final = 3_600.0
_WISHES_BETWEEN_WAITS: Final = 14


class Verb(StrEnum):
    """What somebody does."""

    UPLOAD = "upload"
    IMPORT = "import"
    DELETE = "delete"
    PLAN = "plan"  # a post with a file
    CANCEL = "cancel"
    REMOVE = "remove"  # a post for good, and its file when no other post has it
    HIDE = "hide"  # some files are missing
    AWAY = "away"  # the store is empty
    BACK = "back"  # everything is there again
    COPY = "copy"  # of the database
    RESTORE = "restore"  # the copy is put back: with our command when ``turn`` is even
    CLOCK = "clock"  # days ahead, for an hour
    WAIT = "wait"  # every program stands still for some hours


class How(StrEnum):
    """How bytes come."""

    WHOLE = "whole"
    SLOW = "slow"
    AGAIN = "again"  # the same bytes a second time
    OTHER = "other"  # then other bytes
    CUT = "cut"  # the connection breaks in the middle
    RESUMED = "resumed"  # it breaks, and then all of it is sent
    TWO = "two"  # two simultaneously
    NEVER = "never"
    SHORT = "short"
    WRONG = "wrong"  # neither an image nor a video


@dataclass(frozen=True, slots=True)
class Wish:
    """One thing that happens at a second of the world.

    Attributes:
        turn: Chooses among what there is to choose.
        size: Bytes of a file; hours of a wait; days of a clock.
    """

    number: int
    at_s: float
    verb: Verb
    turn: int
    size: int = 0
    how: How = How.WHOLE


_OTHERS: Final = (
    *(Verb.DELETE,) * 8,
    *(Verb.PLAN,) * 7,
    *(Verb.CANCEL,) * 2,
    *(Verb.REMOVE,) * 3,
    Verb.HIDE,
    Verb.AWAY,
    *(Verb.BACK,) * 3,
    *(Verb.COPY,) * 2,
    Verb.RESTORE,
    Verb.CLOCK,
)
_HOURS: Final = (1, 3, 13, 26, 26, 50)


def draw(seed: int, count: int) -> Sequence[Wish]:
    """The wishes of a seed, with ``count`` files."""
    return list(_draw(random.Random(f"{seed} wishes"), count))  # noqa: S311  chance, no secret


def _draw(chance: random.Random, count: int) -> Iterator[Wish]:
    at, number, files, until_wait = 0.0, 0, 0, _WISHES_BETWEEN_WAITS
    while files < count:
        at = round(at + chance.uniform(0.2, 6), 3)
        turn = chance.randrange(1000)
        if until_wait == 0:
            hours = chance.choice(_HOURS)
            yield Wish(number, at, Verb.WAIT, turn, hours)
            at += hours * _HOUR_S + chance.uniform(1, chance.choice((0.05, 0.05, 0.05, 1.5)) * _HOUR_S)
            until_wait = _WISHES_BETWEEN_WAITS
        elif chance.random() < 0.55:
            files += 1
            verb = Verb.UPLOAD if chance.random() < 0.7 else Verb.IMPORT
            how = How.WHOLE if chance.random() < 0.5 else chance.choice(list(How))
            yield Wish(number, at, verb, turn, chance.randrange(300, _LARGEST), how)
            until_wait -= 1
        else:
            yield Wish(number, at, chance.choice(_OTHERS), turn, chance.choice((2, 5)))
            until_wait -= 1
        number += 1
