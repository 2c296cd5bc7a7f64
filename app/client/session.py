"""The session of aiohttp that carries the wire's calls, each to its address as it was written."""

import ssl
from contextvars import ContextVar
from http.cookiejar import CookieJar

import aiohttp
from yarl import URL

from app.network import Way, abort
from app.network.connector import ProxiedConnector

exact_url: ContextVar[str] = ContextVar("exact_url")
"""The address of the next request in this context, escapes and all."""
last_response: ContextVar[aiohttp.ClientResponse | None] = ContextVar("last_response", default=None)
"""The last answer in this context."""


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
    response.reason = None  # nobody reads it, and old servers write it in an encoding that httpx refuses
    last_response.set(response)
    return response


def cut_off(response: aiohttp.ClientResponse) -> None:
    """End the connection of an answer immediately, unless another call already uses it."""
    connection = response.connection
    if connection is not None and connection.transport is not None:
        abort(connection.transport)


class NoCookies(CookieJar):
    """Keeps no cookie: httpx would send every cookie of an answer with all later calls."""

    def extract_cookies(self, response: object, request: object) -> None:
        """Take nothing."""
