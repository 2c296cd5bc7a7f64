"""A small proxy in the test process: CONNECT, with or without TLS, or SOCKS 5.

It resolves names that no DNS server has, so a test can verify that the proxy was used.
"""

import asyncio
import base64
import contextlib
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from app.network import Proxy, ProxySettings, ProxyUse, Scheme, Way, abort

USER, PASSWORD = "ada@office", "pass:wörd 7"


@dataclass
class SmallProxy:
    """Counts connections and records destinations.

    Attributes:
        places: Maps requested ``host:port`` to a port on this computer; anything else is unreachable.
        wants: Required user name and password; None for no authentication.
        refuses: Status of all responses.
        sign_in: Authentication methods offered in rejections.
        asked: Every destination requested and connected, in order.
        carried: Bytes from the client after the connection was established.
    """

    scheme: Scheme = Scheme.HTTP
    places: dict[str, int] = field(default_factory=dict)
    wants: tuple[str, str] | None = None
    refuses: int = 0
    sign_in: str = "Basic realm=office"
    port: int = 0
    connections: int = 0
    asked: list[str] = field(default_factory=list)
    carried: bytearray = field(default_factory=bytearray)
    behind: str = "127.0.0.1"
    """Host of the destinations."""
    said: bytes = b""
    """Raw response instead of a protocol."""

    @property
    def address(self) -> str:
        return f"{self.scheme.value}://127.0.0.1:{self.port}"

    @property
    def proxy(self) -> Proxy:
        user, password = self.wants or ("", "")
        return Proxy.typed(self.address, user, password)

    def way(self, password: str | None = None, trust: ssl.SSLContext | None = None, **more: object) -> Way:
        """Return the route through this proxy."""
        user, known = self.wants or ("", "")
        settings = ProxySettings.model_validate(
            {"use": ProxyUse.OWN, "address": self.address, "user": user, **more}
        )
        return Way(settings, known if password is None else password, trust=trust)


@contextlib.asynccontextmanager
async def running(proxy: SmallProxy, context: ssl.SSLContext | None = None) -> AsyncIterator[SmallProxy]:
    """Listen during the block, then close all connections."""
    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        proxy.connections += 1
        tasks.add(asyncio.create_task(_serve(proxy, reader, writer)))

    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # in which aborted transports close


async def _serve(proxy: SmallProxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    far: asyncio.StreamWriter | None = None
    try:
        if proxy.said:
            await reader.read(1)
            writer.write(proxy.said)
            await writer.drain()
            return
        ask = _socks if proxy.scheme is Scheme.SOCKS5 else _connect
        port = await ask(proxy, reader, writer)
        if port is not None:
            far_reader, far = await asyncio.open_connection(proxy.behind, port)
            await _carry(proxy, reader, writer, far_reader, far)
    except (OSError, asyncio.IncompleteReadError, ssl.SSLError):
        pass  # the client is done
    finally:
        for one in (writer, far):
            if one is not None:
                abort(one.transport)


async def _connect(
    proxy: SmallProxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> int | None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    place = head.split(" ")[1]
    status, more = _verdict(proxy, place, head), ""
    if status == 407:
        more = f"Proxy-Authenticate: {proxy.sign_in}\r\n"
    half = f"HTTP/1.1 {status} Whatever\r\n"
    writer.write(half.encode())
    await writer.drain()
    await asyncio.sleep(0)  # an answer may come in pieces
    writer.write(f"{more}Content-Length: 0\r\n\r\n".encode() if status != 200 else b"\r\n")
    await writer.drain()
    return proxy.places[place] if status == 200 else None


def _verdict(proxy: SmallProxy, place: str, head: str) -> int:
    if proxy.wants is not None:
        known = base64.b64encode(":".join(proxy.wants).encode()).decode()
        if f"proxy-authorization: basic {known}".lower() not in head.lower():
            return 407
    if proxy.refuses:
        return proxy.refuses
    proxy.asked.append(place)
    return 200 if place in proxy.places else 502


async def _socks(proxy: SmallProxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int | None:
    ways = await reader.readexactly((await reader.readexactly(2))[1])
    way = 2 if proxy.wants else 0
    writer.write(bytes((5, way if way in ways else 0xFF)))
    if way not in ways:
        return None
    if proxy.wants and not await _signed_in(proxy.wants, reader, writer):
        return None
    kind = (await reader.readexactly(4))[3]
    if kind == 3:
        host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
    else:
        data = await reader.readexactly(4 if kind == 1 else 16)
        host = ".".join(map(str, data)) if kind == 1 else data.hex(":", 2)
    place = f"{host}:{int.from_bytes(await reader.readexactly(2), 'big')}"
    proxy.asked.append(place)
    reply = proxy.refuses or (0 if place in proxy.places else 4)
    writer.write(bytes((5, reply, 0, 1)) + bytes(6))
    return proxy.places[place] if reply == 0 else None


async def _signed_in(
    wants: tuple[str, str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> bool:
    user = await reader.readexactly((await reader.readexactly(2))[1])
    password = await reader.readexactly((await reader.readexactly(1))[0])
    known = (user.decode(), password.decode()) == wants
    writer.write(bytes((1, 0 if known else 1)))
    return known


async def _carry(
    proxy: SmallProxy,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    far_reader: asyncio.StreamReader,
    far: asyncio.StreamWriter,
) -> None:
    async def pump(come: asyncio.StreamReader, go: asyncio.StreamWriter, *, counted: bool) -> None:
        while data := await come.read(64 * 1024):
            if counted:
                proxy.carried += data
            go.write(data)
            await go.drain()

    ways = [
        asyncio.create_task(pump(reader, far, counted=True)),
        asyncio.create_task(pump(far_reader, writer, counted=False)),
    ]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
