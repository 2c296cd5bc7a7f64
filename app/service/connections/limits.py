"""Limits of the servers that accounts are on, kept with each account and refreshed now and then."""

import asyncio
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog
from sqlalchemy import select, update

from app.contract.enums import ConnectionPlatform
from app.contract.places import PlaceLimits
from app.database import Database
from app.platforms.adapters import ServerAdapter
from app.platforms.base import PlatformError
from app.service.clock import Clock
from app.service.connections.platforms import Platforms, Tokens, authorized
from app.service.connections.rows import find_connection
from app.service.store.reach import Reach
from app.service.store.tables import connections

_log = structlog.get_logger(__name__)

_FRESH: Final = timedelta(hours=12)
_PATIENCE_S: Final = 10.0
"""How long to wait for a server, in s, before using the limits it named last."""


class Limits:
    """The limits of accounts' servers."""

    def __init__(self, database: Database, platforms: Platforms, tokens: Tokens, clock: Clock) -> None:
        self._database = database
        self._platforms = platforms
        self._tokens = tokens
        self._clock = clock

    async def of(self, account_id: UUID, connection_id: UUID) -> PlaceLimits | None:
        """Return an account's limits, asking its server if they aren't from today.

        Returns the former ones if the server doesn't respond, and None for networks with the same limits
        everywhere, or if the server never responded. Raises ApiError (404).
        """
        place = await self._database.read(
            lambda rows: find_connection(rows, account_id, connection_id, Reach.COMPANION)
        )
        adapter = await self._platforms.adapter(ConnectionPlatform(place.platform))
        if not isinstance(adapter, ServerAdapter):
            return None
        which = select(connections.c.limits).where(connections.c.id == connection_id)
        stored = await self._database.read(lambda rows: rows.scalar(which))
        known = None if stored is None else PlaceLimits.model_validate(stored)
        if known is not None and known.read_at is not None and self._clock() - known.read_at < _FRESH:
            return known
        return await self._ask(adapter, connection_id) or known

    async def _ask(self, adapter: ServerAdapter, connection_id: UUID) -> PlaceLimits | None:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                token = await self._tokens.access_token(connection_id)
                found = await authorized(self._tokens, connection_id, token, adapter.limits)
        except (PlatformError, TimeoutError) as error:
            _log.info("a server's limits could not be read", place_id=str(connection_id), reason=str(error))
            return None
        kept = update(connections).where(connections.c.id == connection_id)
        limits = found.model_dump(mode="json")
        await self._database.write(lambda rows: rows.execute(kept.values(limits=limits)))
        return found
