"""The loop that delivers what waits."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeVar
from uuid import UUID, uuid4

import structlog
from sqlalchemy.exc import SQLAlchemyError

from app.database import Database, DatabaseError
from app.service.clock import Clock
from app.service.webhooks.courier import Courier
from app.service.webhooks.letters import Due
from app.service.webhooks.outcome import Roll, Sent
from app.service.webhooks.pruning import prune
from app.service.webhooks.queue import Claimant, claim, next_moment, put_right, release_all, settle

T = TypeVar("T")
_log = structlog.get_logger(__name__)

_IDLE: Final = timedelta(milliseconds=500)
_WRITE_AGAIN: Final = timedelta(seconds=1)
_PRUNE_EVERY: Final = timedelta(hours=1)
_JUMP_S: Final = 2.0
"""By how much a clock that was set differs at least from one that never jumps."""


@dataclass(frozen=True)
class DeliverySettings:
    """Lengths of time and limits of the worker.

    Attributes:
        backoff: Seconds before each retry of a delivery, before jitter.
        at_once: The most deliveries under way at once, each to another subscription.
        turn: The most deliveries to one subscription before others that wait have theirs.
        lease: How long a claim holds for one delivery; a dead worker's are taken over after that.
        stop_grace: How long stopping waits for deliveries under way.
    """

    backoff: Sequence[float]
    at_once: int = 50
    turn: int = 20
    lease: timedelta = timedelta(seconds=30)
    stop_grace: timedelta = timedelta(seconds=5)


class WebhookWorker:
    """Delivers what is due. The rows of ``deliveries`` are the queue; several workers may share them.

    Args:
        database: Where the rows are.
        courier: What makes one delivery.
        clock: Wall time.
        settings: Lengths of time and limits.
        exclusive: No other worker has this database, so every claim found at the start is a dead one's.
        roll: Gives the jitter of retries.
    """

    def __init__(
        self,
        database: Database,
        courier: Courier,
        clock: Clock,
        settings: DeliverySettings,
        *,
        exclusive: bool,
        roll: Roll = random.random,
    ) -> None:
        self._database = database
        self._courier = courier
        self._clock = clock
        self._settings = settings
        self._exclusive = exclusive
        self._by = Claimant(uuid4(), settings.lease, settings.backoff, roll)
        self._wake = asyncio.Event()
        self._turns: dict[UUID, asyncio.Task[None]] = {}
        self._closing = False
        self._ended: asyncio.Event | None = None
        self._prune_at: datetime | None = None
        self._seen: tuple[datetime, float] | None = None

    async def run(self) -> None:
        """Delivers until it is stopped. Cancelling it instead leaves claims behind, as a crash would."""
        self._ended = asyncio.Event()
        try:
            await self._claim_until_closing()
            await self._finish()
        finally:
            await self._cut_off()
            self._ended.set()

    def notify(self) -> None:
        """Something is due: look now."""
        self._wake.set()

    async def stop(self) -> None:
        """Takes no more and waits a little for deliveries under way; what is cut off is sent again later."""
        self._closing = True
        self._wake.set()
        if self._ended is not None:
            await self._ended.wait()

    async def _finish(self) -> None:
        if self._turns:
            await asyncio.wait(self._turns.values(), timeout=self._settings.stop_grace.total_seconds())
        await self._cut_off()  # before others may take their turns
        try:
            await self._database.write(lambda rows: release_all(rows, self._by.owner))
        except (DatabaseError, SQLAlchemyError):
            _log.exception("claims could not be let go; they run out by themselves")

    async def _cut_off(self) -> None:
        turns = list(self._turns.values())
        for task in turns:
            task.cancel()
        await asyncio.gather(*turns, return_exceptions=True)

    async def _claim_until_closing(self) -> None:
        recovered = not self._exclusive
        while not self._closing:
            self._wake.clear()
            rest = _IDLE
            try:
                if not recovered:
                    await self._database.write(release_all)
                    recovered = True
                await self._follow_clock()
                rest = await self._claim()
                await self._prune()
            except (DatabaseError, SQLAlchemyError):
                _log.exception("the queue of deliveries could not be read; trying again")
            with suppress(TimeoutError):
                async with asyncio.timeout(rest.total_seconds()):
                    await self._wake.wait()

    async def _claim(self) -> timedelta:
        """Gives turns to those for whom something is due, as far as there is room; how long to rest then."""
        room = self._settings.at_once - len(self._turns)
        next_at = await self._database.read_remembered(next_moment, next_moment)
        now = self._clock()
        if room <= 0 or next_at is None:
            return _IDLE
        if next_at > now:
            return min(next_at - now, _IDLE)
        busy = list(self._turns)
        for due in await self._database.write(lambda rows: claim(rows, self._by, now, room, busy)):
            self._turns[due.subscription_id] = asyncio.create_task(self._take_turn(due))
        return _IDLE

    async def _take_turn(self, first: Due) -> None:
        due: Due | None = first
        left = self._settings.turn
        try:
            while due is not None and self._is_held(due):
                sent = await self._courier.deliver(due)
                left -= 1
                due = await self._settle(due, sent, go_on=sent.verdict.delivered and left > 0)
        except Exception:  # noqa: BLE001  one subscription must not take the loop with it
            # The rows still say what is next; the claim runs out, and the delivery is made again.
            _log.exception("a turn of deliveries broke off", subscription_id=str(first.subscription_id))
        finally:
            del self._turns[first.subscription_id]
            self._wake.set()

    def _is_held(self, due: Due) -> bool:
        """Whether the claim lasts for the whole delivery.

        It doesn't when this process stood still since. Another one may deliver meanwhile, or the subscription
        may be gone. What was claimed is claimed again then.
        """
        return due.claimed_until is not None and self._clock() + self._courier.timeout <= due.claimed_until

    async def _settle(self, due: Due, sent: Sent, *, go_on: bool) -> Due | None:
        """Writes down what was sent, however often that takes: nothing shall be sent twice without need."""

        async def write() -> Due | None:
            more = go_on and not self._closing
            return await self._database.write(lambda rows: settle(rows, self._by, due, sent, go_on=more))

        return await _for_sure(write)

    async def _follow_clock(self) -> None:
        """Looks, at the start and after the clock went back, for what it had put off until it was ahead."""
        wall, steady = self._clock(), asyncio.get_running_loop().time()
        if self._seen is not None:
            jump = (wall - self._seen[0]).total_seconds() - (steady - self._seen[1])
            if jump > -_JUMP_S:
                if jump > _JUMP_S:
                    self._seen = wall, steady
                return
        await self._database.write(lambda rows: put_right(rows, self._by, wall))
        self._seen, self._prune_at = (wall, steady), None

    async def _prune(self) -> None:
        now = self._clock()
        if self._prune_at is None or now >= self._prune_at:
            more = await self._database.write(lambda rows: prune(rows, now))
            self._prune_at = now if more else now + _PRUNE_EVERY


async def _for_sure(write: Callable[[], Awaitable[T]]) -> T:
    while True:
        try:
            return await write()
        except (DatabaseError, SQLAlchemyError):
            _log.exception("what became of a delivery could not be written; trying again")
            await asyncio.sleep(_WRITE_AGAIN.total_seconds())
