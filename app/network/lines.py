"""A connection to a proxy during its handshake."""

import asyncio
import socket
from typing import Final, Protocol

from app.network.errors import Fault, ProxyError

_PIECE: Final = 4096


class Line(Protocol):
    """A bidirectional byte stream. Both methods raise OSError if the connection breaks."""

    async def send(self, data: bytes) -> None:
        """Send all of the data."""
        ...

    async def receive(self, most: int = _PIECE) -> bytes:
        """Return at least one byte. Raises ProxyError if the proxy hung up."""
        ...


class PlainLine:
    """A non-blocking socket."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line

    async def send(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self._line, data)

    async def receive(self, most: int = _PIECE) -> bytes:
        return _something(await asyncio.get_running_loop().sock_recv(self._line, most))


class StreamLine:
    """A connection in TLS."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def receive(self, most: int = _PIECE) -> bytes:
        return _something(await self._reader.read(most))


async def exactly(line: Line, count: int) -> bytes:
    """Read exactly ``count`` bytes: the rest belongs to the user of the connection."""
    data = b""
    while len(data) < count:
        data += await line.receive(count - len(data))
    return data


def _something(data: bytes) -> bytes:
    if not data:
        raise ProxyError(Fault.NO_PROXY)
    return data
