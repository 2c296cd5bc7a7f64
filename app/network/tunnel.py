"""Connected sockets, through a proxy if there is one: the handshake, and aborting connections."""

import asyncio
import contextlib
import socket
import ssl
from base64 import b64encode
from contextlib import suppress
from functools import cache
from ipaddress import ip_address
from typing import Final, Protocol

import aiohappyeyeballs
import h11

from app.network.proxy import Fault, Proxy, ProxyError, Scheme, Way

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


_FAULTS: Final = {502: Fault.NOT_BEHIND, 503: Fault.NOT_BEHIND, 504: Fault.NOT_BEHIND}
_SIGN_IN: Final = 407


async def connect_by_http(line: Line, proxy: Proxy, host: str, port: int) -> None:
    """Connect the line to the host. Raises ProxyError, or OSError if the connection breaks."""
    http = h11.Connection(h11.CLIENT)
    try:
        await line.send(_request(http, proxy, host, port))
        answer = await _answer(http, line)
    except h11.ProtocolError:
        raise ProxyError(Fault.NO_PROXY) from None
    if 200 <= answer.status_code < 300:
        if http.trailing_data[0]:  # the destination must not send anything first
            raise ProxyError(Fault.NO_PROXY)
        return
    raise ProxyError(_fault(answer), str(answer.status_code))


def _request(http: h11.Connection, proxy: Proxy, host: str, port: int) -> bytes:
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    headers = [("Host", place), ("User-Agent", "Kalends")]
    if proxy.user:
        known = b64encode(f"{proxy.user}:{proxy.password}".encode()).decode()
        headers.append(("Proxy-Authorization", f"Basic {known}"))
    request = http.send(h11.Request(method="CONNECT", target=place, headers=headers)) or b""
    return request + (http.send(h11.EndOfMessage()) or b"")


async def _answer(http: h11.Connection, line: Line) -> h11.Response:
    while True:
        event = http.next_event()
        if isinstance(event, h11.Response):
            return event
        if event is h11.NEED_DATA:
            http.receive_data(await line.receive())


def _fault(answer: h11.Response) -> Fault:
    if answer.status_code != _SIGN_IN:
        return _FAULTS.get(answer.status_code, Fault.FORBIDDEN)
    ways = [value.lower().split(b" ")[0] for name, value in answer.headers if name == b"proxy-authenticate"]
    return Fault.SIGN_IN_UNKNOWN if ways and b"basic" not in ways else Fault.REFUSED


_VERSION: Final = 5
_OPEN, _BY_PASSWORD, _NONE = 0, 2, 0xFF
_CONNECT: Final = 1
_IPV4, _NAME, _IPV6 = 1, 3, 4
_RULES: Final = 2
_NOT_BEHIND: Final = frozenset({1, 3, 4, 5, 6})
_LONGEST: Final = 255


async def connect_by_socks(line: Line, proxy: Proxy, host: str, port: int) -> None:
    """Connect the line to the host. Raises ProxyError, or OSError if the connection breaks."""
    await _sign_in(line, proxy)
    await line.send(bytes((_VERSION, _CONNECT, 0)) + _place(host) + port.to_bytes(2, "big"))
    version, reply, _, kind = await exactly(line, 4)
    if version != _VERSION:
        raise ProxyError(Fault.NO_PROXY)
    if reply:
        faults = {_RULES: Fault.FORBIDDEN} | dict.fromkeys(_NOT_BEHIND, Fault.NOT_BEHIND)
        raise ProxyError(faults.get(reply, Fault.FORBIDDEN), f"SOCKS {reply}")
    sizes = {_IPV4: 4, _IPV6: 16}
    size = sizes[kind] if kind in sizes else (await exactly(line, 1))[0]
    await exactly(line, size + 2)  # the proxy's own address and port


async def _sign_in(line: Line, proxy: Proxy) -> None:
    ways = bytes((_OPEN, _BY_PASSWORD)) if proxy.user else bytes((_OPEN,))
    await line.send(bytes((_VERSION, len(ways))) + ways)
    version, way = await exactly(line, 2)
    if version != _VERSION or way not in (*ways, _NONE):
        raise ProxyError(Fault.NO_PROXY)
    if way == _NONE:
        raise ProxyError(Fault.REFUSED)
    if way == _BY_PASSWORD:
        await line.send(b"\x01" + _counted(proxy.user) + _counted(proxy.password))
        if (await exactly(line, 2))[1] != 0:
            raise ProxyError(Fault.REFUSED)


def _place(host: str) -> bytes:
    try:
        address = ip_address(host)
    except ValueError:
        return bytes((_NAME,)) + _counted(host)
    return bytes((_IPV4 if address.version == 4 else _IPV6,)) + address.packed


def _counted(text: str) -> bytes:
    data = text.encode()
    if len(data) > _LONGEST:
        raise ProxyError(Fault.REFUSED)
    return bytes((len(data),)) + data


_REACH_S: Final = 8.0
_EAGER_S: Final = 0.25
"""Delay before also trying the next address, in s."""
_PUMPED: Final = 64 * 1024

_pumps: set[asyncio.Task[None]] = set()


async def open_tunnel(
    proxy: Proxy, host: str, port: int, trust: ssl.SSLContext | None = None
) -> socket.socket:
    """Return a non-blocking socket connected to the host through the proxy. Raises ProxyError.

    Can be cancelled. ``trust`` is for an HTTPS proxy; by default, what this computer trusts.
    """
    try:
        async with asyncio.timeout(_REACH_S):
            line = await straight(proxy.host, proxy.port)
    except (OSError, TimeoutError):
        raise ProxyError(Fault.UNREACHED) from None
    try:
        if proxy.scheme is Scheme.HTTPS:
            return await _inside_tls(line, proxy, host, port, trust or _usual_trust())
        ask = connect_by_socks if proxy.scheme is Scheme.SOCKS5 else connect_by_http
        await ask(PlainLine(line), proxy, host, port)
    except ProxyError:
        line.close()
        raise
    except OSError as error:
        line.close()
        untrusted = isinstance(error, ssl.SSLCertVerificationError)
        raise ProxyError(Fault.UNTRUSTED if untrusted else Fault.NO_PROXY) from error
    except BaseException:
        line.close()
        raise
    return line


async def straight(host: str, port: int) -> socket.socket:
    """Return a non-blocking socket connected directly to the host. Raises OSError."""
    places = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    line = await aiohappyeyeballs.start_connection(places, happy_eyeballs_delay=_EAGER_S)
    with contextlib.suppress(OSError):
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return line


async def _inside_tls(
    line: socket.socket, proxy: Proxy, host: str, port: int, trust: ssl.SSLContext
) -> socket.socket:
    reader, writer = await asyncio.open_connection(sock=line, ssl=trust, server_hostname=proxy.host)
    try:
        await connect_by_http(StreamLine(reader, writer), proxy, host, port)
        theirs, ours = socket.socketpair()
        try:
            near_reader, near_writer = await asyncio.open_connection(sock=ours)
        except BaseException:
            theirs.close()
            ours.close()
            raise
    except BaseException:
        writer.transport.abort()
        raise
    pump = asyncio.create_task(_pump(near_reader, near_writer, reader, writer), name="proxy inside TLS")
    _pumps.add(pump)
    pump.add_done_callback(_pumps.discard)
    theirs.setblocking(False)
    return theirs


async def _pump(
    near_reader: asyncio.StreamReader,
    near_writer: asyncio.StreamWriter,
    far_reader: asyncio.StreamReader,
    far_writer: asyncio.StreamWriter,
) -> None:
    """Forward bytes in both directions until one side closes, then close both."""
    ways = [
        asyncio.create_task(_carry(near_reader, far_writer)),
        asyncio.create_task(_carry(far_reader, near_writer)),
    ]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        near_writer.close()
        far_writer.transport.abort()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(_PUMPED):
            writer.write(data)
            await writer.drain()


@cache
def _usual_trust() -> ssl.SSLContext:
    """Return what this computer trusts, loaded once: loading takes longer than a call."""
    return ssl.create_default_context()


async def connected(way: Way, host: str, port: int, *, secure: bool = True) -> socket.socket:
    """Return a non-blocking socket connected to the host. Raises ProxyError or OSError."""
    proxy = await way.proxy_for(host, secure=secure)
    return await (straight(host, port) if proxy is None else open_tunnel(proxy, host, port, way.trust))


def abort(transport: asyncio.WriteTransport) -> None:
    """Close a connection immediately, whatever its state."""
    # WORKAROUND gh-113214: a TLS transport that was closed twice has lost its protocol, and until
    # Python 3.11.6 aborting it then raises. Can go with Python 3.11.
    with suppress(AttributeError):
        transport.abort()
