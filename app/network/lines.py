"""A connection to a proxy while it is asked: bytes in both directions."""

import asyncio
import socket
from typing import Final, Protocol

from app.network.errors import Fault, ProxyError

_PIECE: Final = 4096


class Line(Protocol):
    """Both raise OSError when the connection breaks."""

    async def send(self, data: bytes) -> None:
        """Sends everything."""
        ...

    async def receive(self, most: int = _PIECE) -> bytes:
        """What has come, at least a byte. Raises ProxyError where the proxy hung up."""
        ...


class PlainLine:
    """A socket that does not block."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line

    async def send(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self._line, data)

    async def receive(self, most: int = _PIECE) -> bytes:
        return _something(await asyncio.get_running_loop().sock_recv(self._line, most))


class StreamLine:
    """A connection inside of TLS."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def receive(self, most: int = _PIECE) -> bytes:
        return _something(await self._reader.read(most))


async def exactly(line: Line, count: int) -> bytes:
    """So many bytes and not one more: what follows belongs to whoever gets the connection."""
    data = b""
    while len(data) < count:
        data += await line.receive(count - len(data))
    return data


def _something(data: bytes) -> bytes:
    if not data:
        raise ProxyError(Fault.NO_PROXY)
    return data
