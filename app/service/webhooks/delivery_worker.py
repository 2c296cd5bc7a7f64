"""The loop that sends due deliveries."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeVar
from uuid import UUID, uuid4

import structlog

from app.database import Database
from app.service.clock import Clock
from app.service.monitoring.meter import Meter
from app.service.monitoring.traces import span
from app.service.webhooks.queue import (
    Claimant,
    claim,
    move_back,
    next_moment,
    prune,
    release_all,
    release_others,
    settle,
)
from app.service.webhooks.sender import Due, MessageSender, Roll, Sent, longest_wait
from app.service.worker import ClaimingWorker, until_written

T = TypeVar("T")
_log = structlog.get_logger(__name__)

_PRUNE_EVERY: Final = timedelta(hours=1)
_JUMP_S: Final = 2.0
"""Smallest difference from the monotonic clock that counts as a clock change."""


@dataclass(frozen=True)
class DeliverySettings:
    """Durations and limits of the worker.

    Attributes:
        backoff: Seconds before each retry of a delivery, before jitter.
        at_once: Maximum number of concurrent deliveries, each to a different subscription.
        turn: Maximum number of deliveries to one subscription before it must wait for others.
        lease: How long a claim is valid for one delivery; then other workers may take it over.
        stop_grace: How long stopping waits for deliveries in progress.
    """

    backoff: Sequence[float]
    at_once: int = 50
    turn: int = 20
    lease: timedelta = timedelta(seconds=30)
    stop_grace: timedelta = timedelta(seconds=5)


class DeliveryWorker(ClaimingWorker[Due]):
    """Sends due deliveries. The rows of ``deliveries`` are the queue; several workers may share it.

    Args:
        database: The database with the deliveries.
        sender: Sends one delivery.
        clock: Wall time.
        settings: Durations and limits.
        exclusive: Whether no other worker uses this database, so that claims found at start are abandoned.
        roll: Returns a random number in [0, 1), for the jitter of retries.
        meter: Counts deliveries.
    """

    every = timedelta(milliseconds=500)
    trouble = "the queue of deliveries could not be read; trying again"
    broken = "deliveries to a webhook failed unexpectedly"
    named = "subscription_id"

    def __init__(
        self,
        database: Database,
        sender: MessageSender,
        clock: Clock,
        settings: DeliverySettings,
        *,
        exclusive: bool,
        roll: Roll = random.random,
        meter: Meter | None = None,
    ) -> None:
        super().__init__(grace=settings.stop_grace)
        self._database = database
        self._sender = sender
        self._clock = clock
        self._settings = settings
        self._meter = meter or Meter()
        self._has_dead_claims = exclusive
        self._by = Claimant(uuid4(), settings.lease, settings.backoff, roll)
        self._longest_wait = timedelta(seconds=longest_wait(settings.backoff))
        self._prune_at: datetime | None = None
        self._seen: tuple[datetime, float] | None = None

    async def _release_claims(self) -> None:
        await self._cut_off()  # before others may take their turns
        await self._database.write(lambda rows: release_all(rows, self._by.owner))

    async def _release_others(self, carried: frozenset[UUID]) -> None:
        await self._database.write(lambda rows: release_others(rows, self._by.owner, carried))

    async def _round(self) -> timedelta | None:
        if self._has_dead_claims:
            await self._database.write(release_all)
            self._has_dead_claims = False
        await self._release_uncarried()
        await self._follow_clock()
        rest = await self._claim()
        await self._prune()
        return rest

    async def _claim(self) -> timedelta | None:
        """Claim subscriptions with due deliveries while there is capacity; return how long to rest."""
        room = self._settings.at_once - len(self._carried)
        next_at = await self._database.read_remembered(next_moment, next_moment)
        now = self._clock()
        if room <= 0 or next_at is None:
            return None
        if (ahead := next_at - now) > self._longest_wait:
            # Written while the clock was ahead for a moment, which no round has seen.
            await self._database.write(lambda rows: move_back(rows, self._by, now))
        elif ahead > timedelta():
            return min(ahead, self.every)
        busy = list(self._carried)
        claiming = self._database.write(lambda rows: claim(rows, self._by, now, room, busy))
        for due in await self._claimed(claiming):
            self._set_off(due.subscription_id, due)
        return None

    async def _carry(self, first: Due) -> bool:
        """Make deliveries to one subscription until its turn is over."""
        due: Due | None = first
        left = self._settings.turn
        while due is not None and self._is_held(due):
            with span("deliver", "client", subscription_id=str(due.subscription_id)) as delivering:
                sent = await self._sender.deliver(due)
                delivering.attributes["kalends.delivered"] = sent.verdict.delivered
            self._meter.note_delivery(
                timedelta(milliseconds=sent.latency_ms), is_delivered=sent.verdict.delivered
            )
            left -= 1
            due = await self._settle(due, sent, go_on=sent.verdict.delivered and left > 0)
        return True

    def _is_held(self, due: Due) -> bool:
        """Whether the claim lasts for the whole delivery.

        It doesn't if this process was suspended: another worker may be delivering, or the subscription may be
        gone. The delivery is then claimed again.
        """
        return due.claimed_until is not None and self._clock() + self._sender.timeout <= due.claimed_until

    async def _settle(self, due: Due, sent: Sent, *, go_on: bool) -> Due | None:
        """Record a delivery, retrying until it succeeds, so that nothing is sent twice needlessly."""

        async def write() -> Due | None:
            more = go_on and not self._stopping
            return await self._database.write(lambda rows: settle(rows, self._by, due, sent, go_on=more))

        return await until_written(write, "a delivery's outcome could not be stored")

    async def _follow_clock(self) -> None:
        """At start and after the clock was set back, bring forward retries that it postponed too far."""
        wall, steady = self._clock(), asyncio.get_running_loop().time()
        if self._seen is not None:
            jump = (wall - self._seen[0]).total_seconds() - (steady - self._seen[1])
            if jump > -_JUMP_S:
                if jump > _JUMP_S:
                    self._seen = wall, steady
                return
        await self._database.write(lambda rows: move_back(rows, self._by, wall))
        self._seen, self._prune_at = (wall, steady), None

    async def _prune(self) -> None:
        now = self._clock()
        if self._prune_at is None or now >= self._prune_at:
            more = await self._database.write(lambda rows: prune(rows, now))
            self._prune_at = now if more else now + _PRUNE_EVERY
