"""The network for adapters: one request, one complete response.

Uses aiohttp's session directly, without a client library on top: when many posts are due at the same time,
the cost of each call delays the last one.
"""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Protocol

import aiohttp
from yarl import URL

from app.contract.json_values import TooManyValuesError, ValueCounter
from app.network import PrivateAddressError, ProxyError, Way
from app.network.connector import ProxiedConnector, shared_trust
from app.network.pieces import pieces_of
from app.network.proxy import causes_of
from app.platforms.base import Chunks

_LONGEST_ANSWER: Final = 4 * 1024 * 1024
_VALUES_MAX: Final = 20_000
"""Maximum number of values in a response. A page of 250 boards has 5,000; far more would block publishing."""
_PLAIN: Final = re.compile(r"[!-~]+")
_LOST: Final = (aiohttp.ClientError, TimeoutError, OSError)
_UNSENT: Final = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
_MOST_CONNECTIONS: Final = 100
_CLOSING_S: Final = 0.05
"""Time for closing connections during a TLS handshake, which takes a few loop iterations, in s."""


class LostError(Exception):
    """The connection ended without a response; the text names the error."""


class UnsentError(LostError):
    """The call failed before anything was sent."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts in seconds: for connecting, between two pieces of a response, and for a whole call.

    Attributes:
        first_look: Before first asking a platform whether it has processed a file; each delay is longer.
        last_look: How long to keep asking before the publication is postponed.
        kept: How long an idle connection is reused. Servers close theirs after a while, many after five
            seconds, and a response lost at that moment leaves it unknown whether a post is live.
    """

    connect: float = 10.0
    read: float = 30.0
    total: float = 60.0
    first_look: float = 1.0
    last_look: float = 120.0
    kept: float = 3.0


@dataclass(frozen=True, slots=True)
class Request:
    """A request. If its body is sent in chunks, a header has its length."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | Chunks | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """A response, with case-insensitive headers. The body is empty if it was lost or too long."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class Wire(Protocol):
    """Sends requests: without redirects, cookies, environment settings, or retries."""

    async def exchange(self, request: Request) -> Reply:
        """Return the response, whatever its status. Raises LostError without one."""
        ...

    async def aclose(self) -> None:
        """Close all connections; calls in progress fail."""
        ...


class Guard(Protocol):
    """Decides which servers may be called, for networks whose servers are named by users."""

    def check(self, url: str) -> None:
        """Raise ValueError, with a sentence for users, for a URL that may not be called."""

    def connector(self, way: Way, limit: int) -> aiohttp.BaseConnector:
        """Return connections that check every address, at most ``limit`` simultaneously."""
        ...


class Network:
    """Real connections, kept open for a while."""

    def __init__(self, timeouts: Timeouts, way: Way | None = None, guard: Guard | None = None) -> None:
        """Without a ``way``, no proxy is used. Without a ``guard``, any address may be called."""
        self.trust = shared_trust()
        self._guard = guard
        self._way = way or Way()
        self._kept = timeouts.kept
        self._timeout = aiohttp.ClientTimeout(
            connect=timeouts.connect, sock_connect=timeouts.connect, sock_read=timeouts.read
        )
        self._session: aiohttp.ClientSession | None = None
        self._spoke_tls = False

    async def exchange(self, request: Request) -> Reply:
        if self._session is None:  # it belongs to the running loop
            self._session = self._open()
        try:
            url = _address(request.url)
        except ValueError as error:  # only parsing: a later ValueError could come after sending
            raise UnsentError(type(error).__name__) from None
        if self._guard is not None:
            self._require(request.url, self._guard)
        self._spoke_tls |= url.scheme == "https"
        try:
            response = await self._session.request(
                request.method, url, headers=request.headers, data=request.body, allow_redirects=False
            )
        except _UNSENT as error:
            raise UnsentError(_name(error)) from None
        except _LOST as error:
            raise LostError(type(error).__name__) from None
        try:
            return Reply(response.status, response.headers, await _read(response.content))
        finally:
            response.close()

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()
            if self._spoke_tls:
                await asyncio.sleep(_CLOSING_S)

    def _open(self) -> aiohttp.ClientSession:
        connector: aiohttp.BaseConnector
        if self._guard is None:
            connector = ProxiedConnector(
                self._way, ssl=self.trust, limit=_MOST_CONNECTIONS, keepalive_timeout=self._kept
            )
        else:
            connector = self._guard.connector(self._way, _MOST_CONNECTIONS)
        return aiohttp.ClientSession(
            connector=connector, cookie_jar=aiohttp.DummyCookieJar(), timeout=self._timeout
        )

    @staticmethod
    def _require(url: str, guard: Guard) -> None:
        try:
            guard.check(url)
        except ValueError as error:
            raise UnsentError(str(error).rstrip(".")) from None


def _name(error: Exception) -> str:
    """Return the error's name, or the message of a proxy or a guard."""
    worded = (cause for cause in causes_of(error) if isinstance(cause, ProxyError | PrivateAddressError))
    return next((str(cause).rstrip(".") for cause in worded), type(error).__name__)


async def _read(content: aiohttp.StreamReader) -> bytes:
    body = bytearray()
    counter = ValueCounter(_VALUES_MAX)
    try:
        async for chunk in pieces_of(content):
            body += chunk
            counter.add(chunk)
            if len(body) > _LONGEST_ANSWER:
                return b""
    except (*_LOST, TooManyValuesError):
        return b""
    return bytes(body)


# Most calls use the same few URLs, and parsing one takes a third as long as a call.
@lru_cache(maxsize=256)
def _address(url: str) -> URL:
    """Parse a URL without changing its quoting.

    LinkedIn and signed URLs depend on it. Raises ValueError for characters that could end the request line.
    """
    if _PLAIN.fullmatch(url) is None:
        raise ValueError("not an address in ASCII")
    return URL(url, encoded=True)
