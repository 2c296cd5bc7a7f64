"""Calls to the platforms over HTTP: bounded, and clear about whether a call may have arrived.

The only place of this room that imports httpx. The transport underneath is aiohttp's, whose connection pool
is several times cheaper than httpx's own when many posts are due at once.
"""

import asyncio
import logging
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache, lru_cache, partial
from typing import Final, TypeVar, cast

import aiohttp
import httpx
from pydantic import BaseModel, ValidationError
from yarl import URL

from app.platforms.base import Chunks, Clock, FailureKind, PlatformError
from app.platforms.permit import require_permit
from app.platforms.their_clock import TheirClock

Transport = httpx.AsyncBaseTransport
M = TypeVar("M", bound=BaseModel)

T = TypeVar("T")

_SLOWEST: Final = 64 * 1024  # bytes a second that an upload may take
_LONGEST_PAUSE: Final = 15.0
_LONGEST_ANSWER: Final = 4 * 1024 * 1024
_LONGEST_MESSAGE: Final = 500
_SHORTEST_SECRET: Final = 6
_HIDDEN: Final = "[hidden]"
_TOKEN_LIKE: Final = re.compile(r"(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{40,}", re.ASCII)
_COLON: Final = re.compile(r"(\((?!urn:)\w+:)|:", re.ASCII)
_LOST: Final = (httpx.HTTPError, aiohttp.ClientError, TimeoutError, OSError)
_UNSENT: Final = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
)
# httpx writes whole addresses into its log, and Meta wants secrets in them.
logging.getLogger("httpx").setLevel(logging.WARNING)
_MOST_CONNECTIONS: Final = 100
_CLOSING_S: Final = 0.05
"""What is closed while TLS is under way takes some turns of the loop to be gone."""
# Uncompressed, so that the size on the wire is the size in memory.
_HEADERS: Final = {"User-Agent": "Kalends", "Accept": "application/json", "Accept-Encoding": "identity"}


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
class Body:
    """Bytes to send, read while they are sent. ``size`` is their number; ``open`` begins at the first."""

    content_type: str
    size: int
    open: Callable[[], AbstractAsyncContextManager[Chunks]] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request.

    Attributes:
        creating: It publishes: when its outcome is unknown it must not be repeated.
        secrets: What an answer may echo and nobody may read.
    """

    method: str
    url: str
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    json: Mapping[str, object] | None = field(default=None, repr=False)
    form: Mapping[str, str] | None = field(default=None, repr=False)
    body: Body | None = None
    creating: bool = False
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; header names in lower case. A body that was lost or is too long is empty."""

    call: Call
    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300

    def read(self, model: type[M]) -> M | None:
        """The body as a model; None when it is something else."""
        try:
            return model.model_validate_json(self.body)
        except ValidationError:
            return None

    def words(self, text: str) -> str:
        """The platform's words, fit to be shown and stored."""
        return plain_words(text, self.call.secrets)


def plain_words(text: str, secrets: Collection[str] = ()) -> str:
    """A platform's words as one short line, without secrets and without what looks like one."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, _HIDDEN)
    line = " ".join(_TOKEN_LIKE.sub(_HIDDEN, text).split())
    return "".join(filter(str.isprintable, line))[:_LONGEST_MESSAGE]


class PlatformHttp:
    """The way to one platform. ``their_clock`` learns from every answer."""

    def __init__(
        self, transport: Transport, name: str, timeouts: Timeouts, clock: Clock | None = None
    ) -> None:
        self._transport = transport
        self.name = name
        self.timeouts = timeouts
        self.their_clock = TheirClock(clock or partial(datetime.now, UTC))

    async def send(self, call: Call) -> Answer:
        """The platform's answer, whatever its status.

        Raises PlatformError: TRANSIENT when the call surely did not arrive, or creates nothing; AMBIGUOUS
        when a creating call may have arrived.
        """
        size = call.body.size if call.body else 0
        try:
            async with asyncio.timeout(self.timeouts.total + size / _SLOWEST):
                if call.body is None:
                    return await self._exchange(call, _request(call, None))
                async with call.body.open() as chunks:
                    content = _permitted(chunks) if call.creating else chunks
                    return await self._exchange(call, _request(call, content))
        except _LOST as error:
            failure = self._failure(call, error)
        # Raised without its cause, whose representation may hold the request's headers.
        raise failure

    async def until(self, done: Callable[[], Awaitable[T | None]]) -> T:
        """Asks until the answer is something, waiting longer each time.

        Raises PlatformError (TRANSIENT) when it takes too long; asking again later is what helps.
        """
        pause, waited = self.timeouts.first_look, 0.0
        while (found := await done()) is None:
            if waited >= self.timeouts.last_look:
                raise PlatformError(
                    FailureKind.TRANSIENT, "still_processing", f"{self.name} still works on the file."
                )
            await asyncio.sleep(pause)
            waited += pause
            pause = min(pause * 1.5, _LONGEST_PAUSE)
        return found

    async def _exchange(self, call: Call, request: httpx.Request) -> Answer:
        if call.creating:
            require_permit()
        # Without a client of httpx, whose cookies, redirects and hooks cost as much as the call itself.
        response = await self._transport.handle_async_request(request)
        response.request = request
        try:
            headers = {
                name.lower().decode("ascii"): value.decode("latin-1") for name, value in response.headers.raw
            }
            self.their_clock.note(headers.get("date", ""))
            return Answer(call, response.status_code, headers, await _read(response))
        finally:
            await response.aclose()

    def _failure(self, call: Call, error: Exception) -> PlatformError:
        reason = type(error).__name__
        if is_unsent(error):
            return PlatformError(
                FailureKind.TRANSIENT, "unreachable", f"{self.name} could not be reached ({reason})."
            )
        kind = FailureKind.AMBIGUOUS if call.creating else FailureKind.TRANSIENT
        return PlatformError(
            kind, "no_answer", f"The connection to {self.name} ended without an answer ({reason})."
        )


def is_unsent(error: Exception) -> bool:
    """Whether a call failed before anything of it was sent."""
    return isinstance(error, _UNSENT)


def _request(call: Call, content: Chunks | None) -> httpx.Request:
    body = call.body
    about = {"Content-Type": body.content_type, "Content-Length": str(body.size)} if body else {}
    return httpx.Request(
        call.method,
        _parsed(call.url),
        params=dict(call.params) or None,
        headers={**_HEADERS, **about, **call.headers},
        json=call.json,
        data=dict(call.form) if call.form is not None else None,
        content=content,
    )


# Most calls go to the same few addresses, and reading one takes as long as a third of a call.
@lru_cache(maxsize=256)
def _parsed(url: str) -> httpx.URL:
    return httpx.URL(url)


async def _permitted(chunks: Chunks) -> Chunks:
    """The body of a publishing call, which stays incomplete when the permit ends."""
    async for chunk in chunks:
        require_permit()
        yield chunk


async def _read(response: httpx.Response) -> bytes:
    body = bytearray()
    # Nothing but what was asked for needs no decoder of httpx, which costs more than the reading.
    encoded = "content-encoding" in response.headers
    arriving = response.aiter_bytes() if encoded else aiter(cast("httpx.AsyncByteStream", response.stream))
    try:
        async for chunk in arriving:
            body += chunk
            if len(body) > _LONGEST_ANSWER:
                return b""
    except _LOST:
        return b""
    return bytes(body)


def open_transport(timeouts: Timeouts) -> Transport:
    """The network, without cookies, redirects or settings from the environment; closed with ``aclose``."""
    return _Aiohttp(timeouts)


@cache
def _trust() -> ssl.SSLContext:
    """The authorities that are trusted, read once: it takes longer than a call."""
    return httpx.create_ssl_context(trust_env=False)


class _Aiohttp(Transport):
    """httpx's requests over one session of aiohttp, whose errors are left as they are."""

    def __init__(self, timeouts: Timeouts) -> None:
        self._context = _trust()
        self._kept = timeouts.kept
        self._timeout = aiohttp.ClientTimeout(
            connect=timeouts.connect, sock_connect=timeouts.connect, sock_read=timeouts.read
        )
        self._session: aiohttp.ClientSession | None = None
        self._spoke_tls = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._session is None:  # it belongs to the loop that runs now
            self._session = self._open()
        self._spoke_tls |= request.url.scheme == "https"
        response = await self._session.request(
            request.method,
            _address(str(request.url)),
            headers=[(name.decode("ascii"), value.decode("latin-1")) for name, value in request.headers.raw],
            data=_data(request),
            allow_redirects=False,
            auto_decompress=False,
        )
        return httpx.Response(
            response.status, headers=response.raw_headers, stream=_Arriving(response), request=request
        )

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()
            if self._spoke_tls:
                await asyncio.sleep(_CLOSING_S)

    def _open(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                ssl=self._context, limit=_MOST_CONNECTIONS, keepalive_timeout=self._kept
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=self._timeout,
        )


class _Arriving(httpx.AsyncByteStream):
    """The body of an answer."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._response.content.iter_any():
            yield chunk

    async def aclose(self) -> None:
        self._response.close()


def _data(request: httpx.Request) -> bytes | Chunks | None:
    try:
        return request.content or None
    except httpx.RequestNotRead:
        return aiter(cast("httpx.AsyncByteStream", request.stream))


@lru_cache(maxsize=256)
def _address(url: str) -> URL:
    """The address with its colons quoted, as httpx does it and aiohttp would undo it.

    LinkedIn reads no bare ones in a URN. The one behind a name in parentheses stays, as in ``(share:URN)``:
    there it is LinkedIn's syntax.
    """
    plain = URL(url)
    if ":" not in plain.raw_path_qs:
        return plain
    return URL.build(
        scheme=plain.scheme,
        authority=plain.raw_authority,
        path=plain.raw_path.replace(":", "%3A"),
        query_string=_COLON.sub(_keep_name, plain.raw_query_string),
        encoded=True,
    )


def _keep_name(found: re.Match[str]) -> str:
    return found.group(1) or "%3A"


def bearer(token: str) -> dict[str, str]:
    """The header of a call in somebody's name."""
    return {"Authorization": f"Bearer {token}"}
