"""Random disasters of a fleet during a storm."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

from app.contract.enums import PostingPlatform
from tests.benchmarks.killstorm.fleet import SETTINGS, Fleet

_SPARED_AT_START: Final = 0.7
_BREATH_S: Final = 2.0
_RENEWAL_S: Final = 8.0
_SLOW_S: Final = 3.0
"""How long a slow platform delays its response, in s."""
_ALL_DIE: Final = 0.5
_RENEWING: Final = (
    PostingPlatform.LINKEDIN,
    PostingPlatform.TIKTOK,
    PostingPlatform.PINTEREST,
    PostingPlatform.YOUTUBE,
    PostingPlatform.X,
)
"""Platforms with refresh tokens."""


@dataclass(frozen=True)
class Disasters:
    """Number of disasters of each kind.

    Attributes:
        kills: A process is killed.
        stalls: A process is stopped for longer than its lease.
        refusals: Some platforms refuse some calls with 401, regardless of their token.
        renewals: Processes are killed while one of them renews a token.
    """

    kills: int = 0
    stalls: int = 0
    refusals: int = 0
    renewals: int = 0


class Strikes:
    """Makes disasters happen to a fleet.

    Attributes:
        trouble: A line for every problem with the processes themselves.
        renewals_killed: Number of renewals in progress when their process died, without a response.
    """

    def __init__(self, fleet: Fleet, disasters: Disasters, random: Random) -> None:
        self._fleet = fleet
        self._disasters = disasters
        self._random = random
        self._over = threading.Event()
        self._ordered: Counter[str] = Counter()
        self.trouble: list[str] = []
        self.renewals_killed = 0

    def moments(self, seconds: float) -> Iterator[tuple[float, Callable[[], None]]]:
        """Return the disasters with their times in seconds from the start of the storm, in order."""
        kinds = [
            *[self._kill] * self._disasters.kills,
            *[self._stall] * self._disasters.stalls,
            *[self._refuse] * self._disasters.refusals,
            *[self._kill_amid_renewal] * self._disasters.renewals,
        ]
        self._random.shuffle(kinds)
        moments = sorted(self._random.uniform(0, seconds) for _ in kinds)
        return zip(moments, kinds, strict=True)

    def strike_all(self, seconds: float, sleep_until: Callable[[float], None]) -> None:
        """Run all disasters, or until ``end`` is called."""
        for at_s, strike in self.moments(seconds):
            sleep_until(at_s)
            if self._over.is_set():
                return
            try:
                strike()
            except RuntimeError as error:  # it did not start
                self.trouble.append(str(error))

    def kill_regularly(
        self, every_s: float, seconds: float, sleep_until: Callable[[float], None], random: Random
    ) -> None:
        """Kill a process every ``every_s``, or until ``end`` is called.

        At least one that has started stays, so that there is progress on a slow machine too. Until another
        one has started, only some of those that are starting are killed.
        """
        for number in range(1, int(seconds / every_s) + 1):
            sleep_until(number * every_s)
            if self._over.is_set():
                return
            ready = [program for program in self._fleet.mortal if program.is_ready]
            starting = [program for program in self._fleet.mortal if not program.is_ready]
            if len(ready) > 1 or (starting and random.random() >= _SPARED_AT_START):
                victim = random.choice(ready if len(ready) > 1 else starting)
                victim.kill()
                victim.start()

    def end(self) -> None:
        """Stop further disasters."""
        self._over.set()

    @property
    def refused(self) -> int:
        """Return the number of refused calls."""
        return self._ordered["publish"] - self._fleet.refusals_left()

    def _kill(self) -> None:
        """Kill a process, sometimes during its start, but not always, so that it makes progress."""
        victim = self._random.choice(self._fleet.mortal)
        if self._random.random() < _SPARED_AT_START:
            victim.wait_until_ready()
            self._over.wait(self._random.uniform(0, _BREATH_S))
        victim.kill()
        victim.start()

    def _stall(self) -> None:
        victim = self._random.choice(self._fleet.mortal)
        victim.stall()
        time.sleep(SETTINGS["lease"] * self._random.uniform(1.2, 2))
        victim.go_on()

    def _refuse(self) -> None:
        """Refuse a few calls of some platforms, as if their tokens had expired."""
        for platform in self._random.sample(list(PostingPlatform), 3):
            self._order(platform, "publish", "expired_token", self._random.randint(2, 6))

    def _kill_amid_renewal(self) -> None:
        """Make a call renew a token at a slow platform, and kill processes meanwhile.

        Of several processes, all die, or all except one that has to take over the renewal.
        """
        victims = list(self._fleet.mortal)
        for victim in victims:
            victim.wait_until_ready()
        before, issued = self._fleet.database.renewals(), self._issued()
        platform = self._random.choice(_RENEWING)
        self._order(platform, "token", "slow", 1)
        self._order(platform, "publish", "expired_token", 1)
        end = time.monotonic() + _RENEWAL_S
        while self._issued() == issued and time.monotonic() < end and not self._over.is_set():
            time.sleep(0.05)
        if len(victims) > 1 and self._random.random() >= _ALL_DIE:
            victims.remove(self._random.choice(victims))
        for victim in victims:
            victim.kill()
        dead = self._fleet.database.renewals() - before
        for victim in victims:
            victim.start()
        if len(victims) < len(self._fleet.mortal):  # the living ones have finished theirs by then
            time.sleep(_SLOW_S + 1)
            dead &= self._fleet.database.renewals()
        self.renewals_killed += len(dead)

    def _issued(self) -> int:
        """Return the number of tokens issued by the platforms."""
        return len(self._fleet.practice.get("/tokens").raise_for_status().json()["data"])

    def _order(self, platform: PostingPlatform, operation: str, kind: str, times: int) -> None:
        order = {"platform": platform.value, "operation": operation, "kind": kind, "times": times}
        self._fleet.practice.post("/faults", json=order).raise_for_status()
        self._ordered[operation] += times
