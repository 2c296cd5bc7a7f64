"""Claims on renewals: one process at a time renews an account.

A claim is a lease in the account's row that its process keeps extending. Other processes take over a lease
that hasn't been extended for long enough by their monotonic clocks. Therefore a process only begins if it
wrote its lease quickly, and only extends or releases its own lease, which it recognizes by its value.
"""

import asyncio
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from sqlalchemy import ColumnElement, Row, Update, or_, update
from sqlalchemy.exc import SQLAlchemyError

from app.database import Database, DatabaseError
from app.service.clock import Clock
from app.service.connections.rows import unchanged
from app.service.store.tables import connections

_log = structlog.get_logger(__name__)

_SLOWEST_WRITE: Final = 0.5
"""How long writing a lease may take before a renewal, as a share of the lease."""
_BETWEEN_WRITES: Final = 1 / 3
"""How often a lease is extended, as a share of the lease."""


class RenewalClaim:
    """The right of this process to renew one account, once ``take`` has returned True."""

    def __init__(self, database: Database, clock: Clock, lease: timedelta) -> None:
        self._database = database
        self._clock = clock
        self._lease = lease
        self._own: set[datetime] = set()
        """Values that the lease may have in the row: several if the outcome of a write is unknown.

        Another process may claim within the same millisecond, so that its lease has the same value. Therefore
        values that certainly weren't written don't belong here.
        """

    @property
    def no_other(self) -> ColumnElement[bool]:
        """Condition that no other process has claimed the renewal."""
        until = connections.c.renewing_until
        return or_(until.is_(None), until.in_(self._own))

    def is_own(self, until: datetime | None) -> bool:
        """Whether a lease was written by this claim."""
        return until in self._own

    async def take(self, row: Row[Any]) -> bool:
        """Claim the renewal of an account as it was read; return whether it may begin now.

        It may not if another process was faster, or if this took so long that another process may already
        consider the lease as over. Then the account must be read again.
        """
        is_as_read = connections.c.renewing_until.is_not_distinct_from(row.renewing_until)
        claim = update(connections).where(unchanged(row), connections.c.is_available, is_as_read)
        steady, now = asyncio.get_running_loop().time(), self._clock()
        taken = await self._write_lease(claim)
        # While a computer is asleep, its steady clock may stand still.
        took = max(asyncio.get_running_loop().time() - steady, (self._clock() - now).total_seconds())
        return taken and took < self._lease.total_seconds() * _SLOWEST_WRITE

    async def keep(self, row: Row[Any]) -> None:
        """Extend the claim on an account until cancelled."""
        while True:
            await asyncio.sleep(self._lease.total_seconds() * _BETWEEN_WRITES)
            try:
                await self.extend(row)
            except (DatabaseError, SQLAlchemyError):
                _log.exception("a renewal could not be extended", connection_id=str(row.id))

    async def extend(self, row: Row[Any]) -> None:
        """Extend the claim, unless it was released or another process has taken over."""
        is_own = connections.c.renewing_until.in_(self._own)
        await self._write_lease(update(connections).where(unchanged(row), is_own))

    async def release(self, row: Row[Any], **columns: Any) -> None:
        """Release the claim and set ``columns``, unless another process has taken over."""
        free = update(connections).where(unchanged(row), self.no_other)
        await self._write(free.values(renewing_until=None, **columns))

    async def _write_lease(self, change: Update) -> bool:
        """Write a lease that begins now if the conditions of ``change`` are met; return whether they were."""
        until = self._clock() + self._lease
        until = until.replace(microsecond=until.microsecond // 1000 * 1000)  # as the row will have it
        earlier = self._own
        self._own = earlier | {until}
        is_written = await self._write(change.values(renewing_until=until))
        self._own = {until} if is_written else earlier - {until}
        return is_written

    async def _write(self, change: Update) -> bool:
        return await self._database.write(lambda rows: rows.execute(change).rowcount == 1)


class ForeignClaim:
    """Watches another process's lease, which is over when released or unchanged for too long.

    Ignores the expiry in the row, because clocks of processes differ and jump. While this process couldn't
    look, the database may have been away for the holder, too, which then couldn't extend its lease.
    """

    def __init__(self, longest: timedelta) -> None:
        self._longest = longest.total_seconds()
        self._seen: datetime | None = None
        self._since = 0.0
        self._looked_at = 0.0

    def is_over(self, until: datetime | None) -> bool:
        """Whether a lease as it was just read is over."""
        now = asyncio.get_running_loop().time()
        if until != self._seen or now - self._looked_at > self._longest * _BETWEEN_WRITES:
            self._seen, self._since = until, now
        self._looked_at = now
        return until is None or now - self._since >= self._longest
