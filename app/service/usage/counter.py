"""Counting calls without making anybody wait for it."""

import asyncio
import contextlib
import threading
from collections import Counter
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog
from sqlalchemy import Connection, bindparam
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import SQLAlchemyError

from app.contract.enums import Action
from app.database import Database, DatabaseError
from app.service.clock import Clock
from app.service.store.tables import usage_counters

_log = structlog.get_logger(__name__)

_STORE_EVERY: Final = timedelta(seconds=1)
_KEY = (usage_counters.c.account_id, usage_counters.c.period, usage_counters.c.action)
_NEW = insert(usage_counters).values(
    {column: bindparam(column.name) for column in (*_KEY, usage_counters.c.count)}
)
_ADD = _NEW.on_conflict_do_update(
    index_elements=_KEY, set_={"count": usage_counters.c.count + _NEW.excluded.count}
)


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

    def store(self, connection: Connection) -> None:
        """Adds what was counted to the rows; who reads them in this transaction sees every call so far."""
        with self._lock:
            calls, self._calls = self._calls, Counter()
        if calls:
            names = [column.name for column in (*_KEY, usage_counters.c.count)]
            connection.execute(
                _ADD, [dict(zip(names, (*call, count), strict=True)) for call, count in calls.items()]
            )

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
            await self._database.write(self.store)
        except (DatabaseError, SQLAlchemyError) as error:
            _log.warning("calls were not counted", reason=str(error))


def month_of(clock: Clock) -> str:
    """The current period, as 2026-11 in UTC."""
    now = clock()
    return f"{now.year}-{now.month:02}"
