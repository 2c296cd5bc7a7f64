"""The aiohttp session of the client, which sends URLs exactly as written."""

import ssl
from contextvars import ContextVar
from http.cookiejar import CookieJar

import aiohttp
from yarl import URL

from app.network import Way, abort
from app.network.connector import ProxiedConnector

exact_url: ContextVar[str] = ContextVar("exact_url")
"""URL of the next request in this context, including its escapes."""
last_response: ContextVar[aiohttp.ClientResponse | None] = ContextVar("last_response", default=None)
"""The last response in this context."""


def session(context: ssl.SSLContext, way: Way) -> aiohttp.ClientSession:
    """Return a session without cookies. Set ``exact_url`` before each request."""
    return aiohttp.ClientSession(
        connector=ProxiedConnector(way, ssl=context, keepalive_timeout=5),
        cookie_jar=aiohttp.DummyCookieJar(),
        middlewares=(_keep_url_exact,),
    )


async def _keep_url_exact(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Restore the escapes that aiohttp normalizes: signed links only work exactly as written."""
    request.url = URL(exact_url.get(), encoded=True)
    response = await handler(request)
    response.reason = None  # unused, and old servers use encodings that httpx rejects
    last_response.set(response)
    return response


def cut_off(response: aiohttp.ClientResponse) -> None:
    """Close the connection of a response immediately, unless another call already uses it."""
    connection = response.connection
    if connection is not None and connection.transport is not None:
        abort(connection.transport)


class NoCookies(CookieJar):
    """A cookie jar that stays empty. httpx would send every cookie with all later calls."""

    def extract_cookies(self, response: object, request: object) -> None:
        """Ignore cookies."""
