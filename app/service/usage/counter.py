"""Counting calls without making anybody wait for it."""

import asyncio
import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, TypeVar
from uuid import UUID, uuid4

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from app.contract.enums import Action
from app.database import Database, DatabaseError
from app.database.upserts import upsert
from app.service.clock import Clock
from app.service.store.marks import forget_usage_stored, keep_usage_stored, usage_stored
from app.service.store.tables import usage_counters

T = TypeVar("T")
_log = structlog.get_logger(__name__)

_STORE_EVERY: Final = timedelta(seconds=1)
_KEY: Final = ("account_id", "period", "action")
_REMEMBERED: Final = timedelta(days=1)
"""How long it is known what a process that counts no more has stored."""


@dataclass(frozen=True, slots=True)
class _Sum:
    """Calls that are stored together; each has a higher number than the one before."""

    number: int
    calls: Mapping[tuple[UUID, str, str], int]


class UsageCounter:
    """Counts in memory and stores the sums every second: what a killed process loses is a second's calls.

    The rows also tell which sum was stored last: where the answer to a commit was lost, it counts once.
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
        """One call more."""
        with self._lock:
            self._calls[account_id, month_of(self._clock), action.value] += 1

    async def store(self, work: Callable[[Connection], T]) -> T:
        """Adds what was counted to the rows, and does ``work`` after it, which sees every call so far.

        Raises what the database raises; the calls are then counted the next time, unless they are stored.
        """
        async with self._storing:
            with self._lock:
                calls, self._calls = self._calls, Counter()
            if calls:
                self._number += 1
                self._doubtful.append(_Sum(self._number, calls))
            doubtful = tuple(self._doubtful)

            def add_and_work(rows: Connection) -> T:
                self._add(rows, doubtful)
                return work(rows)

            done = await self._database.write(add_and_work)
            self._doubtful.clear()
            return done

    def _add(self, rows: Connection, doubtful: Sequence[_Sum]) -> None:
        """Adds what is not stored yet."""
        if not doubtful:
            return
        now, last = self._clock(), usage_stored(rows, self._owner)
        for one in doubtful:
            if one.number > last:
                _add(rows, one.calls)
        if not last:
            forget_usage_stored(rows, now - _REMEMBERED)
        keep_usage_stored(rows, self._owner, doubtful[-1].number, now)

    async def run(self) -> None:
        """Stores every second until ``stop``, and once more then."""
        stopped = False
        while not stopped:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_STORE_EVERY.total_seconds()):
                    stopped = await self._stopping.wait()
            await self._store_or_tell()

    async def stop(self) -> None:
        """Lets ``run`` store what is left, and end."""
        self._stopping.set()

    async def _store_or_tell(self) -> None:
        if not (self._calls or self._doubtful):
            return
        try:
            await self.store(lambda _: None)
        except (DatabaseError, SQLAlchemyError) as error:
            _log.warning("calls are not stored yet; trying again", reason=str(error))


def _add(rows: Connection, calls: Mapping[tuple[UUID, str, str], int]) -> None:
    """In order, so that two processes that add to the same rows pass each other by."""
    if not calls:
        return
    new = upsert(rows, usage_counters)
    summed = {"count": usage_counters.c.count + new.excluded.count}
    counted = [dict(zip(_KEY, call, strict=True)) | {"count": count} for call, count in sorted(calls.items())]
    rows.execute(new.on_conflict_do_update(index_elements=_KEY, set_=summed), counted)


def month_of(clock: Clock) -> str:
    """The current period, as 2026-11 in UTC."""
    now = clock()
    return f"{now.year}-{now.month:02}"
