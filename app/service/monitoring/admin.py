"""The admin port: health, readiness and metrics of one process, over plain HTTP."""

import asyncio
from dataclasses import dataclass, field
from socket import socket
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.database import Database
from app.service.clock import Clock, DatabaseClock
from app.service.gate import Caps
from app.service.http_server import Server, listen, origin
from app.service.monitoring.health import Health
from app.service.monitoring.prometheus import Exporter, PrometheusMeter

_CAPS: Final = Caps(total=32, per_peer=32)


@dataclass(frozen=True)
class AdminPort:
    """Where a process listens for its operators, and what it counts."""

    listener: socket
    meter: PrometheusMeter = field(default_factory=PrometheusMeter)

    @classmethod
    def listen(cls, host: str, port: int) -> "AdminPort":
        """Start listening; port 0 selects a free one. Raises PortProblem or CommandProblem."""
        return cls(listen(host, port))

    @property
    def url(self) -> str:
        """The URL for programs on this machine."""
        return origin("http", self.listener)


class AdminServer:
    """Serves the admin port as a worker of the process."""

    def __init__(self, port: AdminPort, database: Database, clock: Clock) -> None:
        wrong_by = clock.wrong_by_seconds if isinstance(clock, DatabaseClock) else lambda: None
        self._exporter = Exporter(port.meter, database, clock, wrong_by)
        routes = [*Health(database).routes(), Route("/metrics", self._metrics)]
        self._server = Server(Starlette(routes=routes), port.listener, caps=_CAPS)

    async def run(self) -> None:
        """Serve until ``stop``."""
        measuring = asyncio.create_task(self._exporter.measure_lag())
        try:
            await self._server.run_until_stopped()
        finally:
            measuring.cancel()

    async def stop(self) -> None:
        """Accept no more connections."""
        self._server.stop()

    async def _metrics(self, _request: Request) -> Response:
        return Response(await self._exporter.render(), headers={"Content-Type": CONTENT_TYPE_LATEST})
