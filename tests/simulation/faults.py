"""What can go wrong, how often, and when it did: drawn from a seed, or played again from a list."""

import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Site(StrEnum):
    """Where faults happen."""

    WRITE = "write"
    CALL = "call"
    MOMENT = "moment"  # a point in time, one every four seconds


class Kind(StrEnum):
    """One kind of fault."""

    DIE_BEFORE_WRITE = "die_before_write"
    DIE_IN_WRITE = "die_in_write"  # what it wrote is undone
    DIE_AFTER_WRITE = "die_after_write"
    LOST_COMMIT = "lost_commit"  # committed, and the answer is lost: on a server only
    CONFLICT = "conflict"  # undone and done again
    DISK_FULL = "disk_full"
    READ_ONLY = "read_only"
    STALL_IN_WRITE = "stall_in_write"
    DIE_BEFORE_CALL = "die_before_call"
    DIE_IN_CALL = "die_in_call"  # the platform gets the request
    DIE_AFTER_CALL = "die_after_call"
    UNREACHABLE = "unreachable"  # for certain nothing was sent
    CUT_BEFORE = "cut_before"  # the request is lost
    CUT_AFTER = "cut_after"  # the answer is lost
    HANG = "hang"  # the answer never comes
    HANG_BEFORE = "hang_before"  # nor does the request arrive
    SLOW = "slow"
    DOUBLED = "doubled"  # the answer to a read comes twice: the older one first
    GARBLED = "garbled"  # done, and nobody can read the answer
    DROPPED_FIELD = "dropped_field"
    EMPTY_LIST = "empty_list"  # a list comes without its items, as of a service that is being restored
    ERROR_401 = "error_401"
    ERROR_403 = "error_403"
    ERROR_429 = "error_429"
    ERROR_500 = "error_500"
    ERROR_503 = "error_503"
    STALL_IN_CALL = "stall_in_call"
    LATE_ARRIVAL = "late_arrival"  # the request comes long after its sender gave up
    WITHHELD_FIELD = "withheld_field"  # a platform leaves a field out of whatever is read there, for a while
    DIE = "die"
    DIE_TWICE = "die_twice"
    STOP = "stop"  # in good order
    STALL = "stall"  # the process stands still, its steady clock goes on
    SUSPEND = "suspend"  # the machine does, with that clock
    CLOCK = "clock"  # set while running
    CLOCK_BETWEEN = "clock_between"  # set between two starts
    OLD_COPY = "old_copy"  # of the store, put back between two starts
    OLD_COPY_TOLD = "old_copy_told"  # with the command for it
    STEPS_LOST = "steps_lost"  # between two starts: no upload step can be read any more, as with another key
    UPDATE = "update"  # starts again with the next schema, while the others go on


SITES: Final[Mapping[Kind, Site]] = MappingProxyType(
    {
        **{kind: Site.WRITE for kind in Kind if "write" in kind},
        **dict.fromkeys((Kind.LOST_COMMIT, Kind.CONFLICT, Kind.DISK_FULL, Kind.READ_ONLY), Site.WRITE),
        **dict.fromkeys(
            (
                Kind.DIE,
                Kind.DIE_TWICE,
                Kind.STOP,
                Kind.STALL,
                Kind.SUSPEND,
                Kind.CLOCK,
                Kind.CLOCK_BETWEEN,
                Kind.OLD_COPY,
                Kind.OLD_COPY_TOLD,
                Kind.STEPS_LOST,
                Kind.UPDATE,
            ),
            Site.MOMENT,
        ),
    }
)
"""All others happen to calls."""

RATES: Final[Mapping[Kind, float]] = MappingProxyType(
    {
        Kind.DIE_BEFORE_WRITE: 0.0004,
        Kind.DIE_IN_WRITE: 0.0004,
        Kind.DIE_AFTER_WRITE: 0.0006,
        Kind.LOST_COMMIT: 0.004,
        Kind.CONFLICT: 0.005,
        Kind.DISK_FULL: 0.004,
        Kind.READ_ONLY: 0.001,
        Kind.STALL_IN_WRITE: 0.0005,
        Kind.DIE_BEFORE_CALL: 0.001,
        Kind.DIE_IN_CALL: 0.002,
        Kind.DIE_AFTER_CALL: 0.002,
        Kind.UNREACHABLE: 0.01,
        Kind.CUT_BEFORE: 0.02,
        Kind.CUT_AFTER: 0.03,
        Kind.HANG: 0.005,
        Kind.HANG_BEFORE: 0.005,
        Kind.SLOW: 0.02,
        Kind.DOUBLED: 0.01,
        Kind.GARBLED: 0.01,
        Kind.DROPPED_FIELD: 0.02,
        Kind.ERROR_401: 0.004,
        Kind.ERROR_403: 0.002,
        Kind.ERROR_429: 0.01,
        Kind.ERROR_500: 0.01,
        Kind.ERROR_503: 0.02,
        Kind.STALL_IN_CALL: 0.002,
        Kind.LATE_ARRIVAL: 0.0,
        Kind.WITHHELD_FIELD: 0.0,
        Kind.DIE: 0.03,
        Kind.DIE_TWICE: 0.01,
        Kind.STOP: 0.01,
        Kind.STALL: 0.02,
        Kind.SUSPEND: 0.02,
        # One clock that is wrong for minutes in each quarter of an hour is much already. With more, hardly a
        # lost call can be repeated within the minutes in which its platform refuses a copy.
        Kind.CLOCK: 0.005,
        Kind.CLOCK_BETWEEN: 0.005,
        Kind.OLD_COPY: 0.0,
        Kind.OLD_COPY_TOLD: 0.0,
        Kind.STEPS_LOST: 0.0,
        Kind.UPDATE: 0.0,
    }
)


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """A fault at the ``nth`` event of its site; ``size`` in [0, 1) says how long or how far."""

    nth: int
    kind: Kind
    size: float

    @property
    def site(self) -> Site:
        return SITES.get(self.kind, Site.CALL)

    def between(self, least: float, most: float) -> float:
        """A number between two, by the fault's size."""
        return least + (most - least) * self.size


class Faults:
    """Says of each event whether something goes wrong. ``happened`` is the list to play it again with."""

    def __init__(
        self,
        seed: int,
        rates: Mapping[Kind, float] = RATES,
        played: Sequence[Fault] | None = None,
        without: Collection[Kind] = (),
    ) -> None:
        self._chances = {site: _random(seed, site) for site in Site}
        self._rates = {
            site: [(kind, rates.get(kind, 0.0)) for kind in Kind if SITES.get(kind, Site.CALL) is site]
            for site in Site
        }
        self._played = None if played is None else {(one.site, one.nth): one for one in played}
        self._without = frozenset(without)
        self._events: Counter[Site] = Counter()
        self.happened: list[Fault] = []
        self.ended = False

    def at(self, site: Site) -> Fault | None:
        """What happens at this event of the site."""
        self._events[site] += 1
        nth = self._events[site]
        found = self._drawn(site, nth) if self._played is None else self._played.get((site, nth))
        if found is None or self.ended or found.kind in self._without:
            return None
        self.happened.append(found)
        return found

    def events(self, site: Site) -> int:
        return self._events[site]

    def _drawn(self, site: Site, nth: int) -> Fault | None:
        roll, size = self._chances[site].random(), round(self._chances[site].random(), 3)
        for kind, rate in self._rates[site]:
            if roll < rate:
                return Fault(nth, kind, size)
            roll -= rate
        return None


def _random(seed: int, name: str) -> random.Random:
    return random.Random(f"{seed} {name}")  # noqa: S311  chance, no secret


def read_rates(told: str, usual: Mapping[Kind, float] = RATES) -> dict[Kind, float]:
    """Return the rates in ``name=rate,...``; ``all`` means the usual ones."""
    rates: dict[Kind, float] = {}
    for part in filter(None, told.split(",")):
        name, _, rate = part.partition("=")
        if name == "all":
            factor = float(rate or 1)
            rates |= {kind: often * factor for kind, often in usual.items()}
        else:
            rates[Kind(name)] = float(rate) if rate else usual[Kind(name)]
    return rates
