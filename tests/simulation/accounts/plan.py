"""What people do with their accounts. Drawn from the seed, or played again from a list."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from app.contract.enums import ConnectionPlatform

_DAY_S: Final = 86_400.0
_RENEWALS_A_DAY: Final = {
    ConnectionPlatform.X: 15.0,
    ConnectionPlatform.YOUTUBE: 30.0,
    ConnectionPlatform.TIKTOK: 1.25,
    ConnectionPlatform.THREADS: 0.15,
    ConnectionPlatform.PINTEREST: 0.04,
    ConnectionPlatform.LINKEDIN: 0.02,
}
_QUICK: Final = (ConnectionPlatform.X, ConnectionPlatform.X, ConnectionPlatform.YOUTUBE)
_SLOW: Final = tuple(platform for platform in _RENEWALS_A_DAY if platform not in _QUICK)
_ACCOUNTS: Final = 28
_SHORTEST_DAYS: Final = 0.25
_LONGEST_DAYS: Final = 100.0
_CALLS: Final = (20, 80, 320)


class Verb(StrEnum):
    """What somebody does."""

    CONNECT = "connect"
    USE = "use"
    REVOKE = "revoke"
    CALL = "call"


@dataclass(frozen=True, slots=True)
class Act:
    """At a moment of the world, in seconds.

    Attributes:
        long: How long the person is at the platform, in seconds; or how many calls to the API.
    """

    at_s: float
    verb: Verb
    long: int = 0


@dataclass(frozen=True, slots=True)
class Wish:
    """One account at a platform, and what its owner does; ``CALL`` goes to the API with a key."""

    number: int
    platform: ConnectionPlatform
    acts: tuple[Act, ...]

    @property
    def person(self) -> str:
        return f"person-{self.number}"


def draw(seed: int, count: int) -> Sequence[Wish]:
    """The wishes of a seed, over so long that there will be about ``count`` renewals."""
    chance = random.Random(f"{seed} accounts")  # noqa: S311  chance, no secret
    kinds = chance.choices(_SLOW if seed % 4 == 1 else (*_QUICK, *_QUICK, *_SLOW), k=_ACCOUNTS)
    a_day = sum(_RENEWALS_A_DAY[kind] for kind in kinds)
    length = min(max(count / a_day, _SHORTEST_DAYS), _LONGEST_DAYS) * _DAY_S
    return [
        Wish(number, kind, tuple(_acts(length, chance, is_calling=seed % 4 == 2)))
        for number, kind in enumerate(kinds)
    ]


def _acts(length: float, chance: random.Random, *, is_calling: bool) -> Iterator[Act]:
    at = round(chance.uniform(0, 600), 3)
    yield Act(at, Verb.CONNECT, chance.choice((5, 60, 600)))
    for _ in range(5):
        at = round(at + chance.expovariate(1 / (length / 6)), 3)
        if at > length:
            return
        verbs, weights = (Verb.USE, Verb.REVOKE, Verb.CONNECT, Verb.CALL), (6, 1, 3, 4 if is_calling else 0)
        verb = chance.choices(verbs, weights)[0]
        if verb is Verb.CALL:
            yield Act(at, verb, chance.choice(_CALLS))
        else:
            yield Act(at, verb, chance.choice((1, 20, 600, 880, 920, 4_000)))
        if verb is Verb.REVOKE and chance.random() < 0.8:
            at = round(at + chance.uniform(60, 3_000), 3)
            yield Act(at, Verb.CONNECT, chance.choice((5, 60)))


def simpler(wish: Wish) -> Iterator[Wish]:
    """The same account with less that is done to it."""
    for left_out in range(len(wish.acts) - 1, 0, -1):
        yield replace(wish, acts=wish.acts[:left_out])
