"""HTTP, and the only module of this room that knows which library speaks it."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport
from httpx_sse import EventSource, ServerSentEvent, SSEError

from app.client.errors import (
    AnswerNotUnderstood,
    CertificateRejected,
    ClientError,
    ProxyFailed,
    ServiceUnreachable,
    TimedOut,
)
from app.client.file_body import FileBody, Progress
from app.client.file_put import put_file
from app.client.movement import Clocks, Movement
from app.client.session import exact_url, last_connection, session
from app.client.throttle import Throttle
from app.network import ProxyError, Way
from app.network.causes import causes_of

Transport = httpx.AsyncBaseTransport

ANSWER_BYTES_MAX = 16 * 1024 * 1024
"""A page of 100 posts of 10,000 characters, each written as an escape, is 6 MiB."""

_TIMEOUT = httpx.Timeout(20, connect=10)
_TOTAL_S = 60
"""The whole call: a server that sends a byte now and then does not hold us for ever."""
_PIECE = 256 * 1024
_FILE = "file"
"""The extension of a request under which a transport finds the file that is its body."""
_LOOK_S = 0.1
"""How often it is looked at how far an upload got."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers with lower-case names, and the whole body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Wire:
    """A connection pool to one service. Follows no redirect; ``way`` tells of the proxy, if there is one.

    Raises ValueError for an address that is not https, or a key that cannot stand in a header.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        ssl_context: ssl.SSLContext | None = None,
        transport: Transport | None = None,
        clocks: Clocks | None = None,
        way: Way | None = None,
    ) -> None:
        self._url = _checked_url(base_url)
        self._way = way or Way()
        self.use_key(api_key)
        self._transport = transport
        self._clocks = clocks or Clocks()
        self._http = self._client(ssl_context)
        self._elsewhere: httpx.AsyncClient | None = None
        self._streams: set[asyncio.WriteTransport] = set()
        self.throttle = Throttle()
        """What limits the files that are sent."""

    def use_key(self, api_key: str) -> None:
        """Sends another key from now on. Raises ValueError for one that cannot stand in a header."""
        if not (api_key.isascii() and api_key.isprintable() and api_key.strip() == api_key != ""):
            raise ValueError("The API key has characters that no key has. Copy it again, without spaces.")
        self._api_key = api_key

    def go_another_way(self) -> None:
        """Ends the streams that are listened to: whoever follows them connects anew, as all else does."""
        for stream in self._streams:
            stream.abort()

    @property
    def base_url(self) -> str:
        """Without a slash at the end."""
        return str(self._url).rstrip("/")

    async def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: str | None = None,
        patience_s: float | None = None,
    ) -> Answer:
        """Sends one request and reads the answer. ``body`` is JSON.

        ``patience_s`` is for calls whose answer may take long.

        Raises ServiceUnreachable, CertificateRejected, TimedOut, or AnswerNotUnderstood for a body too big.
        """
        headers = {"Authorization": f"Bearer {self._api_key}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        url = self.base_url + path
        timeout = httpx.Timeout(patience_s, connect=10) if patience_s else _TIMEOUT
        request = self._http.build_request(
            method, url, params=query, content=body, headers=headers, timeout=timeout
        )
        return await self._answer(request, patience_s or _TOTAL_S)

    async def send_file(
        self, url: str, file: Path, *, content_type: str, progress: Progress | None = None
    ) -> Answer:
        """PUTs a file to an address that the service gave, without the key; reads it piece by piece.

        Raises like ``call``; TimedOut when nothing moves for a minute, or for a moment after the computer
        slept; OSError when the file cannot be read.
        """
        http = self._client_for(url)
        body = FileBody(file, self.throttle)
        try:
            await asyncio.to_thread(body.open)
            headers = {"Content-Length": str(body.size), "Content-Type": content_type}
            request = http.build_request(
                "PUT", url, content=body.pieces(), headers=headers, timeout=None, extensions={_FILE: body}
            )
            movement = Movement(self._clocks)
            return await _send_body(http, request, body, movement, progress or (lambda _sent: None))
        finally:
            body.close()  # in no thread: a second cancellation would take that back

    async def fetch(self, url: str, into: BinaryIO, most: int) -> Answer:
        """Gets a file from an address that the service gave, without the key, piece by piece.

        The answer has a body only where it is no success. Raises like ``call``; TimedOut when nothing comes
        for a while, AnswerNotUnderstood for more than ``most`` bytes, OSError when ``into`` takes no more.
        """
        http = self._client_for(url)
        request = http.build_request("GET", url, timeout=_TIMEOUT)
        exact_url.set(str(request.url))
        with _translating():
            response = await http.send(request, stream=True)
        try:
            if not response.is_success:
                with _translating():
                    return _answer_of(response, await _read(response))
            await _write(response, into, most)
            return _answer_of(response, b"")
        finally:
            await response.aclose()

    async def size_of(self, url: str) -> int | None:
        """How many bytes are behind an address that the service gave; None where it does not say.

        Raises like ``call``.
        """
        http = self._client_for(url)
        request = http.build_request("GET", url, headers={"Range": "bytes=0-0"}, timeout=_TIMEOUT)
        exact_url.set(str(request.url))
        with _translating():
            response = await http.send(request, stream=True)
            await response.aclose()
        told = response.headers.get("content-range", "").rpartition("/")[2]
        if response.status_code == httpx.codes.OK:
            told = response.headers.get("content-length", "")
        return int(told) if response.is_success and told.isdecimal() else None

    @asynccontextmanager
    async def listen(
        self, path: str, headers: Mapping[str, str], *, silence_s: float
    ) -> AsyncIterator[tuple[Answer, AsyncIterator[ServerSentEvent]]]:
        """Opens a stream of events. Gives the answer, with a body where it is no success, and the events.

        Both raise like ``call``; TimedOut when nothing comes for ``silence_s``, AnswerNotUnderstood for what
        is no stream or an event too big.
        """
        sent = {"Authorization": f"Bearer {self._api_key}", "Accept": "text/event-stream", **headers}
        timeout = httpx.Timeout(silence_s, connect=10)
        request = self._http.build_request("GET", self.base_url + path, headers=sent, timeout=timeout)
        exact_url.set(str(request.url))
        with _translating():
            response = await self._http.send(request, stream=True)
        connection = last_connection.get()
        if isinstance(connection, asyncio.WriteTransport):
            self._streams.add(connection)
        try:
            with _translating():
                body = b"" if response.is_success else await _read(response)
            async with aclosing(_events(response)) as events:
                yield _answer_of(response, body), events
        finally:
            if isinstance(connection, asyncio.WriteTransport):
                self._streams.discard(connection)
                connection.abort()  # a stream never ends by itself, and TLS would wait for the other side
            await response.aclose()

    async def visit(self, url: str) -> int:
        """Gets a page without the key; gives the status. Raises like ``call``."""
        return (await self._answer(self._http.build_request("GET", url))).status

    async def _answer(self, request: httpx.Request, total_s: float = _TOTAL_S) -> Answer:
        try:
            async with asyncio.timeout(total_s):
                return await _send(self._http, request)
        except TimeoutError as error:
            raise TimedOut(f"no answer within {total_s:g} s") from error
        except (httpx.HTTPError, aiohttp.ClientError, OSError) as error:
            raise _translated(error) from error

    async def close(self) -> None:
        await self._http.aclose()
        if self._elsewhere is not None:
            await self._elsewhere.aclose()

    def _client(self, context: ssl.SSLContext | None) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            transport=self._transport or _Network(context or _usual_trust(), self._way),
            headers={"Accept-Encoding": "identity", "User-Agent": "Kalends"},
            timeout=_TIMEOUT,
            trust_env=False,
        )

    def _client_for(self, url: str) -> httpx.AsyncClient:
        """A service may keep files elsewhere; what is trusted for the service alone is not trusted there."""
        try:
            place = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise AnswerNotUnderstood("a link that is no address") from error
        if place.scheme != "https":
            raise AnswerNotUnderstood("a link that is not https")
        if (place.host, place.port) == (self._url.host, self._url.port):
            return self._http
        self._elsewhere = self._elsewhere or self._client(None)
        return self._elsewhere


async def _send_body(
    http: httpx.AsyncClient, request: httpx.Request, body: FileBody, movement: Movement, progress: Progress
) -> Answer:
    sending = asyncio.ensure_future(_send(http, request))
    try:
        while not (await asyncio.wait([sending], timeout=_LOOK_S))[0]:
            movement.require(body.sent)
            progress(body.sent)
        answer = await sending
        progress(body.sent)
    except TimeoutError as error:
        raise TimedOut(str(error)) from error
    except (httpx.HTTPError, aiohttp.ClientError, OSError) as error:
        raise body.problem or _translated(error) from error
    else:
        return answer
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)


async def _send(http: httpx.AsyncClient, request: httpx.Request) -> Answer:
    exact_url.set(str(request.url))
    response = await http.send(request, stream=True)
    try:
        return _answer_of(response, await _read(response))
    finally:
        await response.aclose()


async def _read(response: httpx.Response) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > ANSWER_BYTES_MAX:
            raise AnswerNotUnderstood("an answer too big", status=response.status_code)
    return bytes(body)


async def _write(response: httpx.Response, into: BinaryIO, most: int) -> None:
    left, pieces = most, response.aiter_bytes(_PIECE)
    while True:
        with _translating():
            piece = await anext(pieces, b"")
        if not piece:
            return
        left -= len(piece)
        if left < 0:
            raise AnswerNotUnderstood("a file too big", status=response.status_code)
        await asyncio.to_thread(into.write, piece)


def _answer_of(response: httpx.Response, body: bytes) -> Answer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answer(response.status_code, headers, body)


async def _events(response: httpx.Response) -> AsyncGenerator[ServerSentEvent, None]:
    assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101  an asynchronous client's
    response.stream = _BoundedEvents(response.stream)
    with _translating():
        async with aclosing(EventSource(response).aiter_sse()) as events:
            async for event in events:
                yield event


class _BoundedEvents(httpx.AsyncByteStream):
    """The same bytes, as long as an empty line comes before there are too many."""

    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            _, end, rest = chunk.rpartition(b"\n\n")
            size = len(rest) if end else size + len(chunk)
            if size > ANSWER_BYTES_MAX:
                raise AnswerNotUnderstood("an event too big")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


@contextmanager
def _translating() -> Iterator[None]:
    try:
        yield
    except SSEError as error:
        raise AnswerNotUnderstood("no stream of events") from error
    except (httpx.HTTPError, aiohttp.ClientError, OSError) as error:
        raise _translated(error) from error


@cache
def _usual_trust() -> ssl.SSLContext:
    """What this computer trusts, read once: it takes longer than a call."""
    return ssl.create_default_context()


class _Network(httpx.AsyncBaseTransport):
    """Calls go by the event loop, files by threads."""

    def __init__(self, context: ssl.SSLContext, way: Way) -> None:
        self._context = context
        self._way = way
        self._calls = AiohttpTransport(verify=context, trust_env=False, client=lambda: session(context, way))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = request.extensions.get(_FILE)
        if not isinstance(body, FileBody):
            return await self._calls.handle_async_request(request)
        url = request.url
        answer = await put_file(
            url.host, url.port or 443, url.raw_path, request.headers.raw, body, self._context, self._way
        )
        return httpx.Response(answer.status, headers=answer.headers, content=answer.body, request=request)

    async def aclose(self) -> None:
        await self._calls.aclose()


def _checked_url(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url.strip())
    except httpx.InvalidURL as error:
        raise ValueError(
            "This is not the address of a service. It looks like https://example.com."
        ) from error
    if url.scheme != "https" or not url.host:
        raise ValueError("The address must begin with https://, so that the key is never sent in the open.")
    if url.userinfo or url.query or url.fragment:
        raise ValueError("The address must not hold a user name, a question mark or a number sign.")
    return url


def _translated(error: Exception) -> ClientError:
    causes = causes_of(error)
    proxy = next((cause for cause in causes if isinstance(cause, ProxyError)), None)
    if proxy is not None:
        return ProxyFailed(proxy)
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return CertificateRejected("the certificate is not a trusted one")
    # The transport calls every broken connection a timeout; only a TimeoutError behind it is one.
    if isinstance(error, httpx.TimeoutException) and not any(
        isinstance(cause, aiohttp.ClientError) and not isinstance(cause, TimeoutError) for cause in causes
    ):
        return TimedOut("no answer in time")
    return ServiceUnreachable(type(causes[-1]).__name__)
