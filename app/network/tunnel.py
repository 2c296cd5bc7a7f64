"""Connected sockets, through a proxy if there is one, for any code; and aborting connections."""

import asyncio
import contextlib
import socket
import ssl
from contextlib import suppress
from functools import cache
from typing import Final

import aiohappyeyeballs

from app.network import handshakes
from app.network.handshakes import PlainLine, StreamLine
from app.network.proxy import Fault, Proxy, ProxyError, Scheme
from app.network.way import Way

_REACH_S: Final = 8.0
_EAGER_S: Final = 0.25
"""Delay before also trying the next address, in s."""
_PIECE: Final = 64 * 1024

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
        ask = handshakes.connect_by_socks if proxy.scheme is Scheme.SOCKS5 else handshakes.connect_by_http
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
        await handshakes.connect_by_http(StreamLine(reader, writer), proxy, host, port)
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
        while data := await reader.read(_PIECE):
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
