"""Access tokens: opened when needed, refreshed in time, and never replaced by nothing."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from sqlalchemy import Row, select, update

from app.contract.enums import ConnectionPlatform
from app.database import Database
from app.platforms.base import FailureKind, PlatformError, TokenGrant
from app.service.clock import Clock
from app.service.connections.platforms import Platforms
from app.service.connections.rows import token_columns
from app.service.store.seal import Seal, SealBrokenError
from app.service.store.tables import connections

_log = structlog.get_logger(__name__)

REFRESH_BEFORE: Final = timedelta(minutes=5)
"""How long before its end a token is refreshed."""


@dataclass(frozen=True, slots=True)
class _Held:
    token: str = field(repr=False)
    expires_at: datetime | None

    def is_good(self, at: datetime) -> bool:
        return self.expires_at is None or at < self.expires_at


class TokenKeeper:
    """The tokens of all connections; a connection has one refresh at a time, which everybody waits for."""

    def __init__(self, database: Database, seal: Seal, platforms: Platforms, clock: Clock) -> None:
        self._database = database
        self._seal = seal
        self._platforms = platforms
        self._clock = clock
        self._held: dict[UUID, _Held] = {}
        self._refreshing: dict[UUID, asyncio.Task[str]] = {}

    async def access_token(self, connection_id: UUID) -> str:
        """A token that is good for some minutes, or as long as it can be.

        Raises PlatformError: AUTH_EXPIRED when the account must be authorized again; TRANSIENT and the like
        when the platform could not be asked and the old token has ended.
        """
        held = self._held.get(connection_id)
        if held is not None and held.is_good(self._clock() + REFRESH_BEFORE):
            return held.token
        row = await self._row(connection_id)
        if not row.is_available:
            raise _expired("The account must be authorized again.")
        held = _Held(await self._open(row, row.access_token), row.token_expires_at)
        if held.is_good(self._clock() + REFRESH_BEFORE):
            self._held[connection_id] = held
            return held.token
        return await self._refreshed_or(held, row)

    async def refused(self, connection_id: UUID) -> str:
        """The platform does not take the access token: gets a new one, or raises like ``access_token``."""
        self.forget(connection_id)
        return await self._refresh_once(connection_id)

    def forget(self, connection_id: UUID) -> None:
        """Lets go of what is held in memory, because the row has changed."""
        self._held.pop(connection_id, None)

    async def _refreshed_or(self, held: _Held, row: Row[Any]) -> str:
        still_good = held.is_good(self._clock())
        if still_good and row.refresh_token is None:
            return held.token
        try:
            return await self._refresh_once(row.id)
        except PlatformError as error:
            if still_good and error.kind is not FailureKind.AUTH_EXPIRED:
                return held.token
            raise

    async def _refresh_once(self, connection_id: UUID) -> str:
        task = self._refreshing.get(connection_id)
        if task is None:
            task = asyncio.create_task(self._refresh(connection_id))
            self._refreshing[connection_id] = task
            task.add_done_callback(lambda done: self._finished(connection_id, done))
        # A refresh token may work only once: who stops waiting must not stop the new one from being stored.
        return await asyncio.shield(task)

    def _finished(self, connection_id: UUID, task: asyncio.Task[str]) -> None:
        del self._refreshing[connection_id]
        if not task.cancelled() and (error := task.exception()):
            _log.info("a token was not refreshed", connection_id=str(connection_id), reason=str(error))

    async def _refresh(self, connection_id: UUID) -> str:
        row = await self._row(connection_id)
        if row.refresh_token is None:
            await self._mark_unavailable(row)
            raise _expired("The platform ended the access and gave nothing to renew it with.")
        platform = ConnectionPlatform(row.platform)
        adapter = self._platforms.adapters.get(platform)
        credentials = self._platforms.credentials.get(platform)
        if adapter is None or credentials is None:
            raise PlatformError(FailureKind.PERMISSION, "not_set_up", "The platform is not set up here.")
        refresh_token = await self._open(row, row.refresh_token)
        try:
            grant = await adapter.refresh(credentials, refresh_token)
        except PlatformError as error:
            if error.kind is FailureKind.AUTH_EXPIRED:
                await self._mark_unavailable(row)
            raise
        await self._store(row, grant)
        return grant.access_token

    async def _open(self, row: Row[Any], sealed: bytes) -> str:
        try:
            return self._seal.open(sealed, row.id)
        except SealBrokenError:
            await self._mark_unavailable(row)
            raise _expired("The stored access cannot be opened with this installation's key.") from None

    async def _store(self, row: Row[Any], grant: TokenGrant) -> None:
        await self._change(row, token_columns(self._seal, row.id, grant))
        self._held[row.id] = _Held(grant.access_token, grant.expires_at)

    async def _mark_unavailable(self, row: Row[Any]) -> None:
        await self._change(row, {"is_available": False})

    async def _change(self, row: Row[Any], columns: dict[str, Any]) -> None:
        """Changes the row unless somebody authorized the account anew in the meantime."""
        self.forget(row.id)
        same = (connections.c.id == row.id) & (connections.c.access_token == row.access_token)
        await self._database.write(lambda rows: rows.execute(update(connections).where(same).values(columns)))

    async def _row(self, connection_id: UUID) -> Row[Any]:
        row = await self._database.read(
            lambda rows: rows.execute(
                select(connections).where(connections.c.id == connection_id)
            ).one_or_none()
        )
        if row is None:
            raise _expired("The account is no longer connected.")
        return row


def _expired(message: str) -> PlatformError:
    return PlatformError(FailureKind.AUTH_EXPIRED, "connection_unavailable", message)
