"""The gate between preparing a publication and calling the platform.

A publication does everything before its first call ahead of time, then waits at the gate for its turn, for
its attempt to be committed, and until it is due. Then only the call itself is left.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from types import TracebackType
from typing import Final, Generic, Self, TypeVar
from uuid import UUID

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from app.database import Database
from app.database.committer import Work
from app.database.postgresql import timeline
from app.service.publishing import attempts, claims, outcome
from app.service.publishing.attempts import Beginning
from app.service.publishing.clock import Timekeeper
from app.service.publishing.failovers import Failovers
from app.service.publishing.history import Attempt, ClaimedPost
from app.service.publishing.pacing import Pacing, Slots, Turn
from app.service.publishing.settings import PublishingSettings
from app.service.store.journal import SendJournal, Sent

Item = TypeVar("Item")
Result = TypeVar("Result")


class Gatherer(Generic[Item, Result]):
    """Writes items in order of arrival, as many per transaction as are waiting.

    An item that can't be locked now is written on its own, so that it doesn't delay the others.
    """

    def __init__(
        self,
        write: Callable[[Work[Mapping[int, Result]]], Awaitable[Mapping[int, Result]]],
        lock: Callable[[Connection, Sequence[Item]], Sequence[bool]],
        work: Callable[[Connection, Sequence[Item]], Sequence[Result]],
        linger: Callable[[], Awaitable[None]],
    ) -> None:
        """Create a gatherer.

        Args:
            write: Runs work in a write transaction of the database.
            lock: Locks items for the transaction without waiting; returns for each whether it did.
            work: Writes several items in one transaction and returns a result for each.
            linger: Returns when items have waited long enough for more to arrive.
        """
        self._write_now = write
        self._lock = lock
        self._linger = linger
        self._work = work
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._singles: set[asyncio.Task[None]] = set()

    async def write(self, item: Item) -> Result:
        """Return the result once the item is durable. Raises the database's error for it."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_waiting())
        return await future

    async def close(self) -> None:
        """Cancel the writes in progress. Callers of ``write`` must have been cancelled before."""
        writing = [*self._singles, *([self._writing] if self._writing else [])]
        for task in writing:
            task.cancel()
        await asyncio.gather(*writing, return_exceptions=True)

    async def _write_waiting(self) -> None:
        while self._waiting:
            await self._linger()
            group, self._waiting = self._waiting, []
            try:
                left = await self._write_group(group)
            except SQLAlchemyError:
                left = group  # one bad item must not fail the others
            except Exception as error:  # noqa: BLE001  everyone who waits learns of it
                _fail(group, error)
                continue
            for single in left:
                task = asyncio.create_task(self._write_single(single))
                self._singles.add(task)
                task.add_done_callback(self._singles.discard)

    async def _write_single(self, single: tuple[Item, asyncio.Future[Result]]) -> None:
        try:
            await self._write_group([single], waits=True)
        except Exception as error:  # noqa: BLE001  the waiting caller gets it
            _fail([single], error)

    async def _write_group(
        self, group: Sequence[tuple[Item, asyncio.Future[Result]]], *, waits: bool = False
    ) -> list[tuple[Item, asyncio.Future[Result]]]:
        """Write items in one transaction; return those that couldn't be locked, unless it ``waits``."""
        items = [item for item, _ in group]

        def work(rows: Connection) -> dict[int, Result]:
            are_free = [True] * len(items) if waits else self._lock(rows, items)
            chosen = [n for n, is_free in enumerate(are_free) if is_free]
            results = self._work(rows, [items[n] for n in chosen]) if chosen else []
            return dict(zip(chosen, results, strict=True))

        written = await self._write_now(work)
        for n, result in written.items():
            if not (future := group[n][1]).done():
                future.set_result(result)
        return [one for n, one in enumerate(group) if n not in written]


def _fail(group: Sequence[tuple[Item, asyncio.Future[Result]]], error: Exception) -> None:
    for _, future in group:
        if not future.done():
            future.set_exception(error)


_AHEAD: Final = timedelta(milliseconds=40)
"""How long before its time an attempt is committed, so that posts due at the same time share a commit."""
_LINGER: Final = timedelta(milliseconds=5)


class Withdrawn(BaseException):
    """Stops work on a post at its waiting point, because it won't be published now.

    Derived from BaseException so that no ``except Exception`` in an adapter catches it.

    Attributes:
        until: When the post may be claimed again; None if the claim was already lost or released.
        doubtful: The attempt that failed to be written, if any. It may be stored nevertheless.
        problem: The error with which it failed.
    """

    def __init__(
        self,
        until: datetime | None = None,
        *,
        doubtful: Attempt | None = None,
        problem: Exception | None = None,
    ) -> None:
        super().__init__(until, doubtful, problem)
        self.until = until
        self.doubtful = doubtful
        self.problem = problem


@dataclass(frozen=True, slots=True)
class _Begun:
    """Whether an attempt was stored, and the timeline of the server that did."""

    is_stored: bool
    timeline: str | None = None


class Gate:
    """Lets each publication call its platform at its time, and none once ``closing`` is set."""

    def __init__(
        self,
        owner: UUID,
        database: Database,
        slots: Slots,
        pacing: Pacing,
        time: Timekeeper,
        settings: PublishingSettings,
        mark_of: Callable[[ClaimedPost, Attempt], Mapping[str, object] | None],
        failovers: Failovers,
        journal: SendJournal | None = None,
    ) -> None:
        self._owner = owner
        self._failovers = failovers
        self._mark_of = mark_of
        self._journal = journal
        self._slots = slots
        self._pacing = pacing
        self._time = time
        self._settings = settings
        self._beginnings = Gatherer(database.write, claims.lock, self._write, partial(time.sleep, _LINGER))
        self._departed: dict[UUID, Departure] = {}
        self.closing = False

    def departure(self, post: ClaimedPost) -> "Departure":
        """Return the departure of a publication, a context manager around it."""
        return Departure(self, post)

    def renewed(self, post_ids: Collection[UUID], until: datetime) -> None:
        """Note that claims were renewed until ``until``."""
        for post_id in self._departed.keys() & post_ids:
            self._departed[post_id].held_until = until

    async def close(self) -> None:
        """Cancel the write in progress. Call this once nothing is being published."""
        await self._beginnings.close()

    async def turn(self, post: ClaimedPost) -> Turn:
        """Wait until shortly before the post is due, and return its turn for a call."""
        await self._time.sleep_until(post.scheduled_at - _AHEAD)
        late = self._time.now() - post.scheduled_at > self._settings.late_after
        return self._slots.of(post.connection_id, late=late)

    async def begin(self, departure: "Departure", post: ClaimedPost) -> Attempt:
        """Commit the attempt, then record it in the journal. Raises Withdrawn."""
        now = self._time.now()
        # After a jump, this may be far from its time.
        if self._time.problem or not self._time.is_certain or now < post.scheduled_at - _AHEAD:
            raise Withdrawn(post.scheduled_at)
        called_at = max(post.scheduled_at, now)
        if until := self._pacing.take(post.connection_id, post.platform, called_at):
            raise Withdrawn(until)
        attempt = attempts.new_attempt(outcome.step_of(post), called_at)
        beginning = Beginning(post, attempt, self._mark_of(post, attempt))
        try:
            begun = await self._beginnings.write(beginning)
        except Exception as error:  # noqa: BLE001  the engine logs it
            self._pacing.give_back(post.connection_id, called_at)
            raise Withdrawn(doubtful=attempt, problem=error) from None
        if not begun.is_stored or not self._failovers.begin(beginning, begun.timeline):
            self._pacing.give_back(post.connection_id, called_at)
            raise Withdrawn(doubtful=attempt if begun.is_stored else None)
        if self._journal is not None:
            await self._journal.note(Sent(attempt.id, post.id, attempt.started_at))
        self._departed[post.id] = departure
        departure.held_until = attempt.started_at + self._settings.lease
        return attempt

    async def until_due(self, post: ClaimedPost) -> None:
        """Wait until the post is due, at most 40 ms, in case the clock is set back after the commit."""
        await self._time.sleep_until(post.scheduled_at, _AHEAD)

    def is_before(self, moment: datetime) -> bool:
        """Whether it is certainly earlier than ``moment``."""
        return self._time.latest() < moment

    def forget(self, post: ClaimedPost) -> None:
        """Forget the departure of a publication that has ended."""
        self._departed.pop(post.id, None)

    def _write(self, rows: Connection, beginnings: Sequence[Beginning]) -> list[_Begun]:
        if self.closing or not self._failovers.allows(rows):
            for beginning in beginnings:
                claims.release(rows, beginning.post.id, self._owner)
            return [_Begun(is_stored=False)] * len(beginnings)
        now, settings = self._time.now(), self._settings
        begun = attempts.begin(
            rows,
            self._owner,
            beginnings,
            earliest=settings.earliest(now),
            latest=now + _AHEAD,
            lease_until=now + _AHEAD + settings.lease,
        )
        return [_Begun(beginning.post.id in begun, timeline(rows)) for beginning in beginnings]


class Departure:
    """The departure of one publication, which its calls wait for.

    Attributes:
        attempt: The attempt committed before the calls began; None until then.
        held_until: Until when the post is certainly ours, even if this process is suspended.
    """

    def __init__(self, gate: Gate, post: ClaimedPost) -> None:
        self._gate = gate
        self._post = post
        self._turn: Turn | None = None
        self.attempt: Attempt | None = None
        self.held_until = post.scheduled_at

    @property
    def has_departed(self) -> bool:
        return self.attempt is not None

    async def depart(self) -> None:
        """Wait for a turn, commit the attempt, and wait until the post is due. Raises Withdrawn."""
        if self.has_departed:
            return
        self._turn = await self._gate.turn(self._post)
        await self._turn.begin()
        self.attempt = await self._gate.begin(self, self._post)
        await self._gate.until_due(self._post)

    def holds(self) -> bool:
        return self.has_departed and self._gate.is_before(self.held_until)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._gate.forget(self._post)
        if self._turn is not None:
            self._turn.end()
