"""Counting calls without making anybody wait for it."""

import asyncio
import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Final, TypeVar
from uuid import UUID

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from app.contract.enums import Action
from app.database import Database, DatabaseError
from app.database.upserts import upsert
from app.service.clock import Clock
from app.service.store.tables import usage_counters

T = TypeVar("T")
_log = structlog.get_logger(__name__)

_STORE_EVERY: Final = timedelta(seconds=1)
_KEY: Final = ("account_id", "period", "action")


class UsageCounter:
    """Counts in memory and stores the sums every second: what a killed process loses is a second's calls."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._lock = threading.Lock()
        self._calls: Counter[tuple[UUID, str, str]] = Counter()
        self._stopping = asyncio.Event()

    def count(self, account_id: UUID, action: Action) -> None:
        """One call more."""
        with self._lock:
            self._calls[account_id, month_of(self._clock), action.value] += 1

    async def store(self, work: Callable[[Connection], T]) -> T:
        """Adds what was counted to the rows, and does ``work`` after it, which sees every call so far.

        Raises what the database raises; the calls are then counted the next time.
        """
        with self._lock:
            calls, self._calls = self._calls, Counter()

        def add_and_work(rows: Connection) -> T:
            _add(rows, calls)
            return work(rows)

        try:
            return await self._database.write(add_and_work)
        except (DatabaseError, SQLAlchemyError):
            with self._lock:
                self._calls.update(calls)
            raise

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
        if not self._calls:
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
