"""Apps that Kalends has registered itself, at each server of a network, with their secrets encrypted."""

from typing import Any, Final
from uuid import UUID, uuid4

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, Row, Select, delete, insert, select

from app.contract.enums import ConnectionPlatform
from app.database import Database
from app.platforms.adapters import ServerAdapter
from app.platforms.base import AppCredentials, FailureKind, PlatformError
from app.service.clock import Clock
from app.service.store.seal import Seal, SealBrokenError
from app.service.store.tables import server_apps

_SHAPE: Final = TypeAdapter(AppCredentials)


class ServerApps:
    """Registers apps and keeps them. An app is for one server and one redirect URI."""

    def __init__(self, database: Database, seal: Seal, clock: Clock) -> None:
        self._database = database
        self._seal = seal
        self._clock = clock

    async def ready(self, adapter: ServerAdapter, server: str, redirect_uri: str) -> AppCredentials:
        """Return an app that the server knows, registering one unless it does. Raises PlatformError."""
        known = await self._read(adapter.platform, server, redirect_uri)
        if known is not None and await adapter.knows(known):
            return known
        app = await adapter.register(server, redirect_uri)
        return await self._database.write(
            lambda rows: self._keep(rows, adapter.platform, app, redirect_uri, known)
        )

    async def registered(
        self, platform: ConnectionPlatform, server: str, redirect_uri: str
    ) -> AppCredentials:
        """Return the app that a consent was given to. Raises PlatformError (PERMISSION) if it's gone."""
        app = await self._read(platform, server, redirect_uri)
        if app is None:
            raise PlatformError(FailureKind.PERMISSION, "app_gone", "The app at the server is gone.")
        return app

    async def _read(
        self, platform: ConnectionPlatform, server: str, redirect_uri: str
    ) -> AppCredentials | None:
        return await self._database.read(lambda rows: self._find(rows, platform, server, redirect_uri))

    def _find(
        self, rows: Connection, platform: ConnectionPlatform, server: str, redirect_uri: str
    ) -> AppCredentials | None:
        row = rows.execute(_row(platform, server, redirect_uri)).one_or_none()
        return None if row is None else self._opened(row)

    def _opened(self, row: Row[Any]) -> AppCredentials | None:
        try:
            return _SHAPE.validate_json(self._seal.open(row.credentials, row.id))
        except (SealBrokenError, ValidationError):
            return None

    def _keep(
        self,
        rows: Connection,
        platform: ConnectionPlatform,
        app: AppCredentials,
        redirect_uri: str,
        known: AppCredentials | None,
    ) -> AppCredentials:
        """Store an app in place of ``known``; return the one that is stored in the end.

        If another flow was first, its user may already give consent to its app, so that one stays.
        """
        row = rows.execute(_row(platform, app.server, redirect_uri)).one_or_none()
        current = None if row is None else self._opened(row)
        if current is not None and current != known:
            return current
        if row is not None:
            # Only this row: another flow's app may have taken its place since.
            gone = rows.execute(delete(server_apps).where(server_apps.c.id == row.id)).rowcount == 0
            stored = self._find(rows, platform, app.server, redirect_uri) if gone else None
            if stored is not None:
                return stored
        row_id: UUID = uuid4()
        rows.execute(
            insert(server_apps).values(
                id=row_id,
                platform=platform.value,
                server=app.server,
                redirect_uri=redirect_uri,
                credentials=self._seal.close(_SHAPE.dump_json(app).decode(), row_id),
                created_at=self._clock(),
            )
        )
        return app


def _row(platform: ConnectionPlatform, server: str, redirect_uri: str) -> Select[tuple[UUID, bytes]]:
    return select(server_apps.c.id, server_apps.c.credentials).where(
        server_apps.c.platform == platform.value,
        server_apps.c.server == server,
        server_apps.c.redirect_uri == redirect_uri,
    )
