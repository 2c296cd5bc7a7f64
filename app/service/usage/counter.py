"""Counting calls without making anybody wait for it."""

import threading
from collections import Counter
from concurrent.futures import Future
from uuid import UUID

import structlog
from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import insert

from app.contract.enums import Action
from app.database import Database
from app.service.clock import Clock
from app.service.store.tables import usage_counters

_log = structlog.get_logger(__name__)

_Call = tuple[UUID, str, str]
"""Account, period, action."""


class UsageCounter:
    """Counts in memory and hands the sums to the committer; what piles up meanwhile goes in one row each."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._lock = threading.Lock()
        self._calls: Counter[_Call] = Counter()

    def count(self, account_id: UUID, action: Action) -> None:
        """One call more. Whoever reads through the committer afterwards sees it."""
        with self._lock:
            idle = not self._calls
            self._calls[account_id, month_of(self._clock), action.value] += 1
        if idle:
            self._database.submit(self._store).add_done_callback(_report)

    def _store(self, connection: Connection) -> None:
        with self._lock:
            calls, self._calls = self._calls, Counter()
        for (account_id, period, action), count in calls.items():
            row = insert(usage_counters).values(
                account_id=account_id, period=period, action=action, count=count
            )
            connection.execute(
                row.on_conflict_do_update(
                    index_elements=[
                        usage_counters.c.account_id,
                        usage_counters.c.period,
                        usage_counters.c.action,
                    ],
                    set_={"count": usage_counters.c.count + row.excluded.count},
                )
            )


def month_of(clock: Clock) -> str:
    """The current period, as 2026-11 in UTC."""
    return clock().strftime("%Y-%m")


def _report(stored: Future[None]) -> None:
    if error := stored.exception():
        _log.warning("calls were not counted", reason=str(error))
