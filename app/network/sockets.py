"""Connected sockets for code with its own TLS, and aborting connections."""

import asyncio
import socket
from contextlib import suppress

from app.network.tunnel import open_tunnel, straight
from app.network.way import Way


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
