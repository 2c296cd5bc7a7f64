"""The transport of httpx over aiohttp, whose connection pool is several times faster under load."""

import ssl
from collections.abc import Callable
from typing import Final

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport
from httpx_aiohttp.transport import AiohttpResponseStream, map_aiohttp_exceptions
from yarl import URL

RESPONSE: Final = "aiohttp"
"""The extension of an httpx response that holds aiohttp's."""


class ExactTransport(AiohttpTransport):
    """Sends URLs and header names exactly as they are written.

    aiohttp would normalize the escapes of a signed link, which then no longer works. httpx would send header
    names in lower case, and some receivers compare them literally.
    """

    def __init__(self, context: ssl.SSLContext, open_session: Callable[[], aiohttp.ClientSession]) -> None:
        """``open_session`` is called at the first request, in its event loop."""
        super().__init__(verify=context, trust_env=False, client=open_session)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not isinstance(self.client, aiohttp.ClientSession):
            self.client = self.get_client()
        timeout = request.extensions.get("timeout", {})
        body = _body(request)
        encoding = request.headers.encoding
        headers = [(name.decode(encoding), value.decode(encoding)) for name, value in request.headers.raw]
        with map_aiohttp_exceptions():
            response = await self.client.request(
                request.method,
                URL(str(request.url), encoded=True),
                headers=headers,
                data=body,
                allow_redirects=False,
                auto_decompress=False,
                compress=False,
                timeout=aiohttp.ClientTimeout(
                    sock_connect=timeout.get("connect"),
                    sock_read=timeout.get("read"),
                    connect=timeout.get("pool"),
                ),
            )
        # Without the reason phrase: it is unused, and old servers use encodings that httpx rejects.
        return httpx.Response(
            response.status,
            headers=response.raw_headers,
            stream=AiohttpResponseStream(response),
            request=request,
            extensions={"http_version": b"HTTP/1.1", RESPONSE: response},
        )


def _body(request: httpx.Request) -> bytes | httpx.AsyncByteStream | None:
    try:
        return request.content or None
    except httpx.RequestNotRead:
        request.headers.pop("transfer-encoding", None)  # aiohttp sets it
        stream = request.stream
        assert isinstance(stream, httpx.AsyncByteStream)  # noqa: S101  an asynchronous client's
        return stream
