"""The aiohttp session of the client, without cookies."""

import ssl
from http.cookiejar import CookieJar

import aiohttp

from app.network import Way, abort
from app.network.connector import ProxiedConnector


def session(context: ssl.SSLContext, way: Way) -> aiohttp.ClientSession:
    """Return a session without cookies."""
    return aiohttp.ClientSession(
        connector=ProxiedConnector(way, ssl=context, keepalive_timeout=5),
        cookie_jar=aiohttp.DummyCookieJar(),
    )


def cut_off(response: aiohttp.ClientResponse) -> None:
    """Close the connection of a response immediately, unless another call already uses it."""
    connection = response.connection
    if connection is not None and connection.transport is not None:
        abort(connection.transport)


class NoCookies(CookieJar):
    """A cookie jar that stays empty. httpx would send every cookie with all later calls."""

    def extract_cookies(self, response: object, request: object) -> None:
        """Ignore cookies."""
