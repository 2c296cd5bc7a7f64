"""The session of aiohttp that carries the wire's calls, each to its address as it was written."""

import asyncio
import ssl
from contextvars import ContextVar

import aiohttp
from yarl import URL

from app.network import Way
from app.network.connector import ProxiedConnector

exact_url: ContextVar[str] = ContextVar("exact_url")
"""The address of the next request in this context, escapes and all."""
last_connection: ContextVar[asyncio.BaseTransport | None] = ContextVar("last_connection", default=None)
"""What the last answer in this context comes over."""


def session(context: ssl.SSLContext, way: Way) -> aiohttp.ClientSession:
    """A session without cookies; ``exact_url`` is to be set before each of its requests."""
    return aiohttp.ClientSession(
        connector=ProxiedConnector(way, ssl=context, keepalive_timeout=5),
        cookie_jar=aiohttp.DummyCookieJar(),
        middlewares=(_keep_url_exact,),
    )


async def _keep_url_exact(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Undoes what aiohttp does to escapes: links are signed as they were written."""
    request.url = URL(exact_url.get(), encoded=True)
    response = await handler(request)
    last_connection.set(response.connection.transport if response.connection else None)
    return response
