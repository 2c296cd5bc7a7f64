"""Early renewal of tokens, so that an expired account is noticed before a post is due."""

import asyncio
from datetime import timedelta
from itertools import chain
from typing import Final
from uuid import UUID

import structlog
from sqlalchemy import Connection as Rows
from sqlalchemy import bindparam, select, update

from app.database import Database
from app.platforms.base import PlatformError
from app.service.accounts.moves import is_here
from app.service.clock import Clock
from app.service.connections import flow_rows
from app.service.connections.tokens import TokenKeeper
from app.service.store.tables import connections
from app.service.worker import PeriodicWorker, all_done

_log = structlog.get_logger(__name__)

_AGAIN_AFTER: Final = timedelta(minutes=10)
"""Delay after a failure that doesn't end the account, such as no network."""
_LAST_GRACE: Final = timedelta(seconds=5)
_MOST: Final = 200
_AT_ONCE: Final = 8


class Renewals(PeriodicWorker):
    """Renews due tokens and cleans up flows every two minutes.

    Several processes can do this simultaneously: each account is renewed, or its end recorded, once.
    ``exclusive``: there is no other process, so all renewals in progress at startup are stale.
    """

    every = timedelta(minutes=2)
    trouble = "accounts could not be checked; trying again"

    def __init__(self, database: Database, tokens: TokenKeeper, clock: Clock, *, exclusive: bool) -> None:
        super().__init__()
        self._database = database
        self._tokens = tokens
        self._clock = clock
        self._has_dead_claims = exclusive

    async def stop(self) -> None:
        """Start no more renewals, and wait briefly for those in progress."""
        await super().stop()
        await self._tokens.finish(_LAST_GRACE)

    async def _round(self) -> None:
        await self.renew_due()

    async def renew_due(self) -> None:
        """Do one round."""
        now = self._clock()
        if self._has_dead_claims:
            await self._database.write(clear_claims)
            self._has_dead_claims = False
        if await self._database.read(lambda rows: flow_rows.needs_tidying(rows, now)):
            await self._database.write(lambda rows: flow_rows.tidy(rows, now))
        due = await self._database.read(self._due)
        slots = asyncio.Semaphore(_AT_ONCE)
        await all_done(self._renew(connection_id, slots) for connection_id in due)

    def _due(self, rows: Rows) -> list[UUID]:
        due = rows.scalars(_DUE, {"now": self._clock(), "most": _MOST}).all()
        return list(dict.fromkeys(chain(due, rows.scalars(_DOUBTED, {"most": _MOST}).all())))

    async def _renew(self, connection_id: UUID, slots: asyncio.Semaphore) -> None:
        async with slots:
            if self._stopping:
                return
            try:
                await self._tokens.renew(connection_id)
            except PlatformError:
                await self._postpone(connection_id)
            except Exception:  # noqa: BLE001  one failing account must not stop the others
                _log.exception("an account could not be renewed", connection_id=str(connection_id))
                await self._postpone(connection_id)

    async def _postpone(self, connection_id: UUID) -> None:
        """Postpone a renewal that is still due; an account that ended has none."""
        now = self._clock()
        due = update(connections).where(connections.c.id == connection_id, connections.c.renew_at <= now)
        again = due.values(renew_at=now + _AGAIN_AFTER)
        await self._database.write(lambda rows: rows.execute(again))


def clear_claims(rows: Rows) -> None:
    """Release renewals whose process died. Only for the sole process of a data folder."""
    claimed = update(connections).where(connections.c.renewing_until.is_not(None))
    rows.execute(claimed.values(renewing_until=None))


_DUE: Final = (
    select(connections.c.id)
    .where(
        connections.c.is_available,
        connections.c.renew_at <= bindparam("now"),
        is_here(connections.c.account_id),
    )
    .order_by(connections.c.renew_at)
    .limit(bindparam("most"))
)
_DOUBTED: Final = (
    select(connections.c.id)
    .where(connections.c.doubted_at.is_not(None), is_here(connections.c.account_id))
    .limit(bindparam("most"))
)
