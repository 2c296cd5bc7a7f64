"""A wire over any transport of httpx: scripts, recorders, lines that break."""

import httpx

from app.platforms.wire import LostError, Reply, Request, UnsentError

_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


class HttpxWire:
    """Carries the adapters' requests by the given transport."""

    def __init__(self, transport: httpx.AsyncBaseTransport) -> None:
        self._transport = transport

    async def exchange(self, request: Request) -> Reply:
        sent = httpx.Request(request.method, request.url, headers=dict(request.headers), content=request.body)
        try:
            response = await self._transport.handle_async_request(sent)
            body = await response.aread()
            await response.aclose()
        except _UNSENT as error:
            raise UnsentError(type(error).__name__) from error
        except httpx.HTTPError as error:
            raise LostError(type(error).__name__) from error
        return Reply(response.status_code, response.headers, body)

    async def aclose(self) -> None:
        await self._transport.aclose()
