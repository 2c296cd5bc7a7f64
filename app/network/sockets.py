"""A connected socket, for what speaks TLS by itself."""

import socket

from app.network.tunnel import open_tunnel, straight
from app.network.way import Way


async def connected(way: Way, host: str, port: int, *, secure: bool = True) -> socket.socket:
    """A socket, not blocking, on which the host is spoken to next. Raises ProxyError or OSError."""
    proxy = await way.proxy_for(host, secure=secure)
    return await (straight(host, port) if proxy is None else open_tunnel(proxy, host, port, way.trust))
