"""Servers on loopback that answer byte by byte as a test says, however badly."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Self

Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

_TLS_HANDSHAKE = b"\x16"


class Server:
    """Listens on a free port; keeps what each request said, headers and body."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self.requests: list[bytes] = []
        self.connections = 0
        self.url = ""
        self.asked = asyncio.Event()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while request := await _read_request(reader):
                self.requests.append(request)
                self.asked.set()
                await self._behaviour(reader, writer)
        except ConnectionError:
            pass
        finally:
            writer.close()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Self]:
        """Listens inside the block; whatever a behaviour still does at its end is broken off."""
        tasks: list[asyncio.Task[None]] = []

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            tasks.append(asyncio.create_task(self._serve(reader, writer)))

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _read_request(reader: asyncio.StreamReader) -> bytes:
    """The next request; empty when the other side has closed, or begins to speak TLS."""
    first = await reader.read(1)
    if first in {b"", _TLS_HANDSHAKE}:
        return b""
    head = first + await reader.readuntil(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            head += await reader.readexactly(int(value))
    return head


def says(text: bytes) -> Behaviour:
    """Answers with these bytes and keeps the connection."""

    async def behave(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(text)
        await writer.drain()

    return behave


def says_and_closes(text: bytes) -> Behaviour:
    """Answers with these bytes, possibly none, and closes."""

    async def behave(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(text)
        await writer.drain()
        writer.close()

    return behave


async def resets(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Breaks the connection off once the request has arrived."""
    writer.transport.abort()


async def is_silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    """Holds the connection until the other side gives up."""
    await reader.read()


def drips(head: bytes, pause: float) -> Behaviour:
    """Sends the head and then a byte now and again, for as long as anybody listens."""

    async def behave(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(pause)

    return behave
