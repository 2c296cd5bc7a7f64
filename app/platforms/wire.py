"""The network as the adapters use it: one request out, one whole answer back.

aiohttp's session is used as it is, without a client above it: when many posts are due at once, what a call
costs decides how late the last one is.
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
from app.network import ProxyError, Way
from app.network.connector import ProxiedConnector
from app.network.trust import shared_trust
from app.platforms.base import Chunks

_LONGEST_ANSWER: Final = 4 * 1024 * 1024
_VALUES_MAX: Final = 20_000
"""Maximum number of values in an answer; a page of 250 boards has 5,000, and more would stop publishing."""
_PIECE: Final = 64 * 1024
_PLAIN: Final = re.compile(r"[!-~]+")
_LOST: Final = (aiohttp.ClientError, TimeoutError, OSError)
_UNSENT: Final = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
_MOST_CONNECTIONS: Final = 100
_CLOSING_S: Final = 0.05
"""What is closed while TLS is under way takes some turns of the loop to be gone."""


class LostError(Exception):
    """The connection ended without an answer; the text is the name of what happened."""


class UnsentError(LostError):
    """It failed before anything was sent."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds: until connected, between two pieces of an answer, and for a call as a whole.

    Attributes:
        first_look: Before a platform is asked whether it is done with a file; each wait is longer.
        last_look: How long it is asked before the publication is put off.
        kept: How long a connection that rests is used again. Servers close theirs after a while, many after
            five seconds, and an answer that is lost in that moment leaves open whether a post is live.
    """

    connect: float = 10.0
    read: float = 30.0
    total: float = 60.0
    first_look: float = 1.0
    last_look: float = 120.0
    kept: float = 3.0


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent. A body that comes in chunks has its length in the headers."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | Chunks | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; header names in any case. A body that was lost or is too much to read is empty."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class Wire(Protocol):
    """Carries requests: no redirects, no cookies, no settings from the environment, nothing sent twice."""

    async def exchange(self, request: Request) -> Reply:
        """The answer, whatever its status. Raises LostError when there is none."""
        ...

    async def aclose(self) -> None:
        """Ends every connection; calls under way fail."""
        ...


class Network:
    """Real connections, kept for a while."""

    def __init__(self, timeouts: Timeouts, way: Way | None = None) -> None:
        """Without a ``way`` no proxy is used."""
        self.trust = shared_trust()
        self._way = way or Way()
        self._kept = timeouts.kept
        self._timeout = aiohttp.ClientTimeout(
            connect=timeouts.connect, sock_connect=timeouts.connect, sock_read=timeouts.read
        )
        self._session: aiohttp.ClientSession | None = None
        self._spoke_tls = False

    async def exchange(self, request: Request) -> Reply:
        if self._session is None:  # it belongs to the loop that runs now
            self._session = self._open()
        try:
            url = _address(request.url)
        except ValueError as error:  # of nothing that comes later: it may have been sent by then
            raise UnsentError(type(error).__name__) from None
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
        return aiohttp.ClientSession(
            connector=ProxiedConnector(
                self._way, ssl=self.trust, limit=_MOST_CONNECTIONS, keepalive_timeout=self._kept
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=self._timeout,
        )


def _name(error: Exception) -> str:
    """What happened, as its name; a proxy's fault in words."""
    return (
        str(error.__cause__).rstrip(".") if isinstance(error.__cause__, ProxyError) else type(error).__name__
    )


async def _read(content: aiohttp.StreamReader) -> bytes:
    body = bytearray()
    counter = ValueCounter(_VALUES_MAX)
    try:
        while chunk := await content.read(_PIECE):
            body += chunk
            counter.add(chunk)
            if len(body) > _LONGEST_ANSWER:
                return b""
    except (*_LOST, TooManyValuesError):
        return b""
    return bytes(body)


# Most calls go to the same few addresses, and reading one takes as long as a third of a call.
@lru_cache(maxsize=256)
def _address(url: str) -> URL:
    """The address as it is: what is quoted in it stays so, and nothing else becomes quoted.

    LinkedIn and signed addresses tell the two apart. Raises ValueError for what could end the request's line.
    """
    if _PLAIN.fullmatch(url) is None:
        raise ValueError("not an address in ASCII")
    return URL(url, encoded=True)
