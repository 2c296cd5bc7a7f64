"""Whether a process is alive, and whether it can do its work."""

import asyncio
import time
from datetime import timedelta
from typing import Final

from sqlalchemy import Connection, select
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.database import Database
from app.service.api.routing import PatternRoute
from app.service.worker import DATABASE_ERRORS

_PATIENCE: Final = timedelta(seconds=2)
_REMEMBERED: Final = timedelta(seconds=1)
"""How long an answer is repeated, so that anyone may ask without loading the database."""


class Health:
    """Answers probes about one process. For one event loop."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._asked_at = -_REMEMBERED.total_seconds()
        self._answer: asyncio.Future[bool] | None = None

    async def is_ready(self) -> bool:
        """Whether the database answers in time."""
        now = time.monotonic()
        if self._answer is None or (
            self._answer.done() and now - self._asked_at >= _REMEMBERED.total_seconds()
        ):
            self._asked_at, self._answer = now, asyncio.ensure_future(self._reaches_database())
        return await asyncio.shield(self._answer)

    def routes(self) -> list[PatternRoute]:
        """Return ``/healthz`` and ``/readyz``, which need no key and reveal nothing else."""
        return [
            PatternRoute("/healthz", self._alive, include_in_schema=False),
            PatternRoute("/readyz", self._ready, include_in_schema=False),
        ]

    async def _alive(self, _request: Request) -> Response:
        return JSONResponse({"status": "alive"})

    async def _ready(self, _request: Request) -> Response:
        if await self.is_ready():
            return JSONResponse({"status": "ready"})
        return JSONResponse({"status": "unavailable", "reason": "database"}, status_code=503)

    async def _reaches_database(self) -> bool:
        try:
            async with asyncio.timeout(_PATIENCE.total_seconds()):
                await self._database.read(_ask)
        except (TimeoutError, *DATABASE_ERRORS):
            return False
        return True


def _ask(rows: Connection) -> None:
    rows.scalar(select(1))
