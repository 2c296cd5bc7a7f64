"""Counting API calls without delaying them."""

import asyncio
import contextlib
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4

import structlog
from sqlalchemy import Connection, select
from sqlalchemy.exc import SQLAlchemyError

from app.contract.enums import Action
from app.database import Database, DatabaseError
from app.database.dialects import upsert
from app.service.clock import Clock
from app.service.store.marks import batch_number, forget_usage_stored, keep_usage_stored, lock_usage_stored
from app.service.store.tables import accounts, usage_counters

_log = structlog.get_logger(__name__)

_STORE_EVERY: Final = timedelta(seconds=1)
_KEY: Final = ("account_id", "period", "action")
_REMEMBERED: Final = timedelta(days=1)
"""How long the last batch number of an ended process is kept."""


@dataclass(frozen=True, slots=True)
class _Sum:
    """A batch of counts stored together. Numbers increase."""

    number: int
    calls: Mapping[tuple[UUID, str, str], int]


@dataclass(frozen=True, slots=True)
class PendingCounts:
    """Counts of a process that may not be stored yet. ``owner`` is the process."""

    owner: UUID
    _sums: Sequence[_Sum]

    def of(self, account_id: UUID, period: str, mark: str | None) -> Counter[str]:
        """Return an account's counts by action that aren't among the stored ones.

        ``mark`` has to be read in the same statement as the stored counts.
        """
        last = batch_number(mark)
        missing: Counter[str] = Counter()
        for one in self._sums:
            if one.number > last:
                own = {
                    action: n
                    for (owner, of, action), n in one.calls.items()
                    if (owner, of) == (account_id, period)
                }
                missing.update(own)
        return missing


class UsageCounter:
    """Counts in memory and stores the counts every second; a killed process loses at most that second.

    The rows also contain the number of the last stored batch, so that a batch whose commit response was lost
    is counted once, also if its commit arrives late.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._lock = threading.Lock()
        self._calls: Counter[tuple[UUID, str, str]] = Counter()
        self._owner = uuid4()
        self._number = 0
        self._doubtful: list[_Sum] = []
        self._storing = asyncio.Lock()
        self._stopping = asyncio.Event()

    def count(self, account_id: UUID, action: Action) -> None:
        """Count one call."""
        with self._lock:
            self._calls[account_id, month_of(self._clock), action.value] += 1

    def pending(self) -> "PendingCounts":
        """Return the counts that may not be stored yet. Take them before reading those that are."""
        self._close_batch()
        return PendingCounts(self._owner, tuple(self._doubtful))

    async def store(self) -> None:
        """Store all counts. Raises database errors; what isn't stored then is stored next time."""
        async with self._storing:
            self._close_batch()
            doubtful = tuple(self._doubtful)
            await self._database.write(lambda rows: self._add(rows, doubtful))
            del self._doubtful[: len(doubtful)]

    def _close_batch(self) -> None:
        """Give the counts in memory a number, so that the database can tell whether they're stored."""
        with self._lock:
            calls, self._calls = self._calls, Counter()
        if calls:
            self._number += 1
            self._doubtful.append(_Sum(self._number, calls))

    def _add(self, rows: Connection, doubtful: Sequence[_Sum]) -> None:
        """Add the batches that aren't stored yet."""
        if not doubtful:
            return
        now = self._clock()
        last = lock_usage_stored(rows, self._owner, now)
        for one in doubtful:
            if one.number > last:
                _add(rows, one.calls)
        if not last:
            forget_usage_stored(rows, now - _REMEMBERED)
        keep_usage_stored(rows, self._owner, doubtful[-1].number, now)

    async def run(self) -> None:
        """Store counts every second until ``stop``, and once more after it."""
        stopped = False
        while not stopped:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_STORE_EVERY.total_seconds()):
                    stopped = await self._stopping.wait()
            await self._store_or_log()

    async def stop(self) -> None:
        """Make ``run`` store the remaining counts and return."""
        self._stopping.set()

    async def _store_or_log(self) -> None:
        if not (self._calls or self._doubtful):
            return
        try:
            await self.store()
        except (DatabaseError, SQLAlchemyError) as error:
            _log.warning("call counts could not be stored; trying again", reason=str(error))


def _add(rows: Connection, calls: Mapping[tuple[UUID, str, str], int]) -> None:
    """Add counts in sorted order, so that two processes can't deadlock. Skips deleted accounts."""
    mentioned = select(accounts.c.id).where(accounts.c.id.in_({account_id for account_id, *_ in calls}))
    # Locked, so that no other process deletes an account before the commit.
    known = set(rows.scalars(mentioned.with_for_update(read=True, key_share=True)))
    kept = {call: count for call, count in calls.items() if call[0] in known}
    if not kept:
        return
    new = upsert(rows, usage_counters)
    summed = {"count": usage_counters.c.count + new.excluded.count}
    counted = [dict(zip(_KEY, call, strict=True)) | {"count": count} for call, count in sorted(kept.items())]
    rows.execute(new.on_conflict_do_update(index_elements=_KEY, set_=summed), counted)


def month_of(clock: Clock) -> str:
    """Return the current month in UTC, such as 2026-11."""
    now = clock()
    return f"{now.year}-{now.month:02}"
