"""aiohttp connections through a proxy, if there is one, and the trusted certificate authorities.

Every connection is a tunnel: the proxy sees its destination but not its content, also with http. aiohttp's
own proxy support has no SOCKS and can't pin a name to a checked address.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, Final

import aiohttp
import certifi
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ClientRequest
from aiohttp.tracing import Trace

from app.network.proxy import Fault, Proxy, ProxyError, Way
from app.network.tunnel import abort, open_tunnel

_TRIED: Final = 3
"""Maximum number of addresses of a name to request from the proxy, one after the other."""


class ProxiedConnector(aiohttp.TCPConnector):
    """Asks the way for a proxy for every new connection.

    ``require`` raises OSError for addresses that mustn't be called. If it's given, names are resolved here
    and the proxy gets an allowed address, unless the settings leave names to the proxy. The certificate is
    always verified for the name.
    """

    def __init__(self, way: Way, *, require: Callable[[str], None] | None = None, **more: Any) -> None:
        super().__init__(**more)
        self._way = way
        self._require = require
        self._connected: dict[asyncio.Transport, asyncio.Future[None]] = {}
        """Every connection that isn't closed yet, and the future of its end."""

    async def close(self, *, abort_ssl: bool = False) -> None:
        """Close every connection, including those that still wait for the server to end TLS.

        aiohttp forgets a connection as soon as it begins to close. With a slow server, that takes up to 30 s,
        and the socket would outlive the event loop.
        """
        await super().close(abort_ssl=abort_ssl)
        for transport in self._connected:
            abort(transport)
        if self._connected:
            await asyncio.wait(list(self._connected.values()))

    async def _create_direct_connection(
        self,
        req: ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109  aiohttp's
        *,
        client_error: type[Exception] = aiohttp.ClientConnectorError,
    ) -> tuple[asyncio.Transport, ResponseHandler]:
        transport, protocol = await self._connection(req, traces, timeout, client_error=client_error)
        if self.closed:  # meanwhile
            abort(transport)
        elif (ended := protocol.closed) is not None:
            self._connected[transport] = ended
            ended.add_done_callback(partial(self._forget, transport))
        return transport, protocol

    def _forget(self, transport: asyncio.Transport, ended: asyncio.Future[None]) -> None:
        del self._connected[transport]
        if not ended.cancelled():
            ended.exception()  # otherwise asyncio logs that it was never retrieved

    async def _connection(
        self,
        req: ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109  aiohttp's
        *,
        client_error: type[Exception],
    ) -> tuple[asyncio.Transport, ResponseHandler]:
        host, port = (req.url.raw_host or "").rstrip("."), req.port or 0
        try:
            proxy = await self._way.proxy_for(host, secure=req.is_ssl())
        except ProxyError as error:
            raise aiohttp.ClientConnectorError(req.connection_key, error) from error
        if proxy is None:
            return await super()._create_direct_connection(req, traces, timeout, client_error=client_error)
        context = self._get_ssl_context(req)
        async with asyncio.timeout(timeout.sock_connect):
            places = await self._places(host, port, req, traces)
            try:
                line = await self._tunnel(proxy, places, port)
            except ProxyError as error:
                raise aiohttp.ClientConnectorError(req.connection_key, error) from error
            return await self._speak(line, context, host, req, timeout)

    async def _speak(
        self,
        line: socket.socket,
        context: ssl.SSLContext | None,
        host: str,
        req: ClientRequest,
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109  aiohttp's
    ) -> tuple[asyncio.Transport, ResponseHandler]:
        try:
            return await self._wrap_existing_connection(
                self._factory,
                sock=line,
                ssl=context,
                server_hostname=(req.server_hostname or host) if context else None,
                req=req,
                timeout=timeout,
            )
        except BaseException:
            line.close()
            raise

    async def _places(self, host: str, port: int, req: ClientRequest, traces: list[Trace]) -> Sequence[str]:
        """Return the destinations to request from the proxy, the most promising first."""
        if self._require is None or self._way.settings.names_at_proxy:
            return [host]
        try:
            found = await self._resolve_host(host, port, traces=traces)
        except OSError as error:
            if isinstance(error, TimeoutError):
                raise
            raise aiohttp.ClientConnectorDNSError(req.connection_key, error) from error
        places = [one["host"] for one in found]
        try:
            for place in places:
                self._require(place)
        except OSError as error:
            raise aiohttp.ClientConnectorError(req.connection_key, error) from error
        return sorted(places, key=lambda place: ":" in place)[:_TRIED]  # many proxies don't support IPv6

    async def _tunnel(self, proxy: Proxy, places: Sequence[str], port: int) -> socket.socket:
        for place in places[:-1]:
            try:
                return await open_tunnel(proxy, place, port, self._way.trust)
            except ProxyError as error:
                if error.fault is not Fault.NOT_BEHIND:
                    raise
        return await open_tunnel(proxy, places[-1], port, self._way.trust)


def new_trust() -> ssl.SSLContext:
    """Return a context that trusts the public authorities and those of this computer. Blocking.

    TLS-inspecting proxies use a certificate of an authority installed on this computer.
    """
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context


@cache
def shared_trust() -> ssl.SSLContext:
    """Return a shared context, which mustn't be changed. Blocking.

    Loading the authorities takes longer than a call, and each context needs a megabyte for them.
    """
    return new_trust()
