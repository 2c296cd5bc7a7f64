"""A service with hand-written response bytes, over real TLS."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from app.client import RetryPolicy, ServiceClient
from app.client.wire import Wire
from tests.service.outbound.network import certificates

HOST = "127.0.0.1"
KEY = "stp_rest_" + "0" * 64
QUICK = RetryPolicy(attempts=1, wait_initial=0, wait_max=0, reconnect_max=0)

Say = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""Responds to a request after its headers were read."""


@dataclass
class RawService:
    """``heads`` are the raw request heads."""

    trust: ssl.SSLContext
    port: int = 0
    heads: list[str] = field(default_factory=list)

    @property
    def base(self) -> str:
        return f"https://{HOST}:{self.port}"

    def client(self, retries: RetryPolicy = QUICK) -> ServiceClient:
        return ServiceClient(self.base, KEY, ssl_context=self.trust, retries=retries)

    def wire(self) -> Wire:
        return Wire(self.base, KEY, ssl_context=self.trust)


@contextlib.asynccontextmanager
async def answering(folder: Path, say: Say) -> AsyncIterator[RawService]:
    """Respond to every request with what ``say`` writes, then close the connection."""
    context, authority = certificates(folder, HOST)
    service = RawService(ssl.create_default_context(cafile=str(authority)))
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            service.heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
            await say(reader, writer)
            await writer.drain()
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.create_task(serve(reader, writer)))

    server = await asyncio.start_server(accept, HOST, 0, ssl=context, ssl_shutdown_timeout=0.1)
    service.port = server.sockets[0].getsockname()[1]
    try:
        yield service
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def plain(body: bytes, head: bytes = b"HTTP/1.1 200 OK\r\nContent-Type: application/json") -> Say:
    """Write one response. ``head`` doesn't end with a line break."""

    async def say(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head + b"\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    return say
