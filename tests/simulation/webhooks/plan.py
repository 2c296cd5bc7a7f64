"""What happens in a run: events, changes of subscriptions, and what receivers do. Drawn from the seed."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

SLOTS: Final = 8
"""Receivers; each has one subscription at a time."""
ACCOUNTS: Final = 2
SECONDS_PER_EVENT: Final = 0.4
_SHORTEST_S: Final = 120.0


class Verb(StrEnum):
    """What somebody does."""

    HAPPEN = "happen"  # an event of the account ``slot % ACCOUNTS``
    SWITCH_OFF = "switch_off"
    SWITCH_ON = "switch_on"
    DELETE = "delete"
    SUBSCRIBE = "subscribe"
    REPLAY = "replay"
    TEST = "test"
    BEHAVE = "behave"  # the receiver does as ``mode`` says from now on


class Mode(StrEnum):
    """What a receiver does with a request."""

    TAKES = "takes"
    SLOW = "slow"  # takes it after some seconds
    HANGS = "hangs"  # answers long after anybody listens
    FAILS = "fails"  # 503
    REFUSES = "refuses"  # 410
    REDIRECTS = "redirects"
    GONE = "gone"  # nobody listens
    BREAKS = "breaks"  # ends the connection once the request is there
    LIES = "lies"  # takes an event once, and refuses it when it comes again
    DRIPS = "drips"  # takes it, with a body that never ends


@dataclass(frozen=True, slots=True)
class Wish:
    """One thing that happens at a second of the world. ``turn`` chooses among what there is to choose."""

    number: int
    at_s: float
    verb: Verb
    slot: int
    turn: int = 0
    mode: Mode = Mode.TAKES


_CHANGES: Final = (
    *(Verb.BEHAVE,) * 8,
    *(Verb.REPLAY,) * 4,
    *(Verb.SWITCH_ON,) * 4,
    *(Verb.SWITCH_OFF,) * 2,
    Verb.DELETE,
    *(Verb.SUBSCRIBE,) * 2,
    Verb.TEST,
)
_CHANGES_PER_EVENT: Final = 0.25


def draw(seed: int, count: int) -> Sequence[Wish]:
    """The wishes of a seed, with ``count`` events."""
    chance = random.Random(f"{seed} wishes")  # noqa: S311  chance, no secret
    length = max(count * SECONDS_PER_EVENT, _SHORTEST_S)
    events = [_wish(number, Verb.HAPPEN, length, chance) for number in range(count)]
    more = max(4, round(count * _CHANGES_PER_EVENT))
    changes = [_wish(count + number, chance.choice(_CHANGES), length, chance) for number in range(more)]
    return [*_beginning(count + more, chance), *events, *changes]


def _beginning(first: int, chance: random.Random) -> Iterator[Wish]:
    """A third of the receivers have troubles from the start."""
    for slot in range(SLOTS):
        if chance.random() < 1 / 3:
            yield Wish(first + slot, 0.0, Verb.BEHAVE, slot, mode=chance.choice(list(Mode)))


def _wish(number: int, verb: Verb, length: float, chance: random.Random) -> Wish:
    at, slot, turn = round(chance.uniform(0, length), 3), chance.randrange(SLOTS), chance.randrange(1000)
    mode = Mode.TAKES if chance.random() < 0.4 else chance.choice(list(Mode))
    return Wish(number, at, verb, slot, turn, mode if verb is Verb.BEHAVE else Mode.TAKES)
