"""HTTP. The only module of this package that knows which library is used."""

import asyncio
import logging
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import aiohttp
import httpx
from httpx_sse import EventSource, ServerSentEvent, SSEError

from app.client.bodies import STALLED_S, Answer, in_events, in_portions, read_whole, unpacked
from app.client.errors import (
    AnswerNotUnderstood,
    CertificateRejected,
    ClientError,
    NotConnected,
    ProxyFailed,
    ServiceUnreachable,
    TimedOut,
)
from app.client.session import NoCookies, cut_off, session
from app.client.transfers import Clocks, FileBody, Movement, Progress, Throttle, put_file
from app.network import ProxyError, Way
from app.network.exact import RESPONSE, ExactTransport
from app.network.proxy import causes_of

Transport = httpx.AsyncBaseTransport

_TIMEOUT = httpx.Timeout(20, connect=10)
_TOTAL_S = 60
"""Timeout of a whole call, in s, so that a server that sends a byte now and then can't block it."""
_SIZE_DIGITS_MAX = 18
_FILE = "file"
"""Request extension that contains the file to send as the body."""
_LOOK_S = 0.1
"""Interval for checking the progress of an upload, in s."""

_log = logging.getLogger(__name__)


class Wire:
    """A connection pool to one service. Follows no redirects; ``way`` selects the proxy.

    Raises ValueError for a URL that isn't https, or a key that isn't valid in a header.
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
        self._streams: set[aiohttp.ClientResponse] = set()
        self.heard: Callable[[], None] = _do_nothing
        """Called whenever the service sends a response or a stream keep-alive."""
        self.throttle = Throttle()
        """Rate limit for uploads."""

    def use_key(self, api_key: str) -> None:
        """Use another key from now on. Raises ValueError if it isn't valid in a header."""
        if not (api_key.isascii() and api_key.isprintable() and api_key.strip() == api_key != ""):
            raise ValueError("The API key contains invalid characters. Copy it again, without spaces.")
        self._api_key = api_key

    def go_another_way(self) -> None:
        """Close open streams, so that they reconnect with the new proxy like every other call."""
        for stream in self._streams:
            cut_off(stream)

    @property
    def base_url(self) -> str:
        """The URL without a trailing slash."""
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
        """Send a request and return the response. ``body`` is sent as JSON.

        ``patience_s`` is a longer timeout for slow calls.

        Raises ServiceUnreachable, CertificateRejected, TimedOut, or AnswerNotUnderstood for a large body.
        """
        headers = {"Authorization": f"Bearer {self._api_key}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        url = self.base_url + path
        timeout = httpx.Timeout(patience_s, connect=10) if patience_s else _TIMEOUT
        with _translating():
            request = self._http.build_request(
                method, url, params=query, content=body, headers=headers, timeout=timeout
            )
            answer = await _send(self._http, request, patience_s or _TOTAL_S)
        self.heard()
        return answer

    async def send_own(self, path: str, file: Path, *, progress: Progress | None = None) -> Answer:
        """PUT a file in chunks to a path of the service, with the key. Raises like ``send_file``."""
        headers = {"Content-Type": "application/octet-stream", "Authorization": f"Bearer {self._api_key}"}
        return await self._send_file(self.base_url + path, file, headers, progress)

    async def send_file(
        self, url: str, file: Path, *, content_type: str, progress: Progress | None = None
    ) -> Answer:
        """PUT a file in chunks to a URL returned by the service, without the key.

        Raises like ``call``; TimedOut if nothing moves for a minute, or for a shorter time after the computer
        slept; OSError if the file can't be read.
        """
        return await self._send_file(url, file, {"Content-Type": content_type}, progress)

    async def _send_file(
        self, url: str, file: Path, headers: Mapping[str, str], progress: Progress | None
    ) -> Answer:
        http = self._client_for(url)
        body = FileBody(file, self.throttle)
        try:
            await asyncio.to_thread(body.open)
            headers = {"Content-Length": str(body.size), **headers}
            with _translating():
                request = http.build_request(
                    "PUT",
                    url,
                    content=body.pieces(),
                    headers=headers,
                    timeout=None,
                    extensions={_FILE: body},
                )
                movement = Movement(self._clocks)
                return await _send_body(http, request, body, movement, progress or (lambda _sent: None))
        except ClientError as error:
            if body.problem is not None:
                raise body.problem from error
            raise
        finally:
            body.close()  # not in a thread, because a second cancellation would skip it

    async def fetch_own(self, path: str, into: BinaryIO, most: int) -> Answer:
        """Download a file in chunks from a path of the service, with the key. Like ``fetch``."""
        headers = {"Authorization": f"Bearer {self._api_key}"}
        return await self._fetch(self.base_url + path, into, most, headers)

    async def fetch(self, url: str, into: BinaryIO, most: int) -> Answer:
        """Download a file in chunks from a URL returned by the service, without the key.

        The response only has a body if it isn't successful. Raises like ``call``; TimedOut if the download is
        slow; AnswerNotUnderstood for more than ``most`` bytes; OSError if ``into`` can't be written.
        """
        return await self._fetch(url, into, most, {})

    async def _fetch(self, url: str, into: BinaryIO, most: int, headers: Mapping[str, str]) -> Answer:
        http = self._client_for(url)
        with _translating():
            request = http.build_request("GET", url, headers=headers, timeout=_TIMEOUT)
            async with asyncio.timeout(STALLED_S):
                response = await _begun(http, request)
        try:
            if not response.is_success:
                with _translating():
                    async with asyncio.timeout(STALLED_S):
                        return _answer_of(response, await read_whole(_unpacked(response)))
            await _write(response, into, most)
            return _answer_of(response, b"")
        finally:
            await response.aclose()

    async def size_of(self, url: str) -> int | None:
        """Return the size of a file at a URL returned by the service; None if it doesn't say.

        Raises like ``call``.
        """
        http = self._client_for(url)
        with _translating():
            request = http.build_request("GET", url, headers={"Range": "bytes=0-0"}, timeout=_TIMEOUT)
            async with asyncio.timeout(_TOTAL_S):
                response = await _begun(http, request)
                await response.aclose()
        length = response.headers.get("content-range", "").rpartition("/")[2]
        if response.status_code == httpx.codes.OK:
            length = response.headers.get("content-length", "")
        is_number = length.isascii() and length.isdecimal() and len(length) <= _SIZE_DIGITS_MAX
        return int(length) if response.is_success and is_number else None

    @asynccontextmanager
    async def listen(
        self, path: str, headers: Mapping[str, str], *, silence_s: float
    ) -> AsyncIterator[tuple[Answer, AsyncIterator[ServerSentEvent]]]:
        """Open an event stream. Yields the response, with a body if it isn't successful, and the events.

        Both raise like ``call``; TimedOut if nothing arrives for ``silence_s``; AnswerNotUnderstood if it
        isn't an event stream or an event is too large.
        """
        sent = {"Authorization": f"Bearer {self._api_key}", "Accept": "text/event-stream", **headers}
        timeout = httpx.Timeout(silence_s, connect=10)
        with _translating():
            async with asyncio.timeout(_TOTAL_S):
                request = self._http.build_request("GET", self.base_url + path, headers=sent, timeout=timeout)
                response = await _begun(self._http, request)
        connection = response.extensions.get(RESPONSE)
        if connection is not None:
            self._streams.add(connection)
        try:
            with _translating():
                async with asyncio.timeout(_TOTAL_S):
                    body = b"" if response.is_success else await read_whole(_unpacked(response))
            self.heard()
            async with aclosing(_events(response, self.heard)) as events:
                yield _answer_of(response, body), events
        finally:
            if connection is not None:
                self._streams.discard(connection)
                cut_off(connection)  # a stream never ends, and closing TLS would wait for the server
            with _translating():
                await response.aclose()

    async def visit(self, url: str) -> int:
        """Request a page without the key and return the status. Raises like ``call``."""
        with _translating():
            request = self._http.build_request("GET", url)
            return (await _send(self._http, request, _TOTAL_S)).status

    async def close(self) -> None:
        await self._http.aclose()
        if self._elsewhere is not None:
            await self._elsewhere.aclose()

    def _client(self, context: ssl.SSLContext | None) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            transport=self._transport or _Network(context or _usual_trust(), self._way),
            headers={"Accept-Encoding": "identity", "User-Agent": "Kalends"},
            cookies=NoCookies(),
            timeout=_TIMEOUT,
            trust_env=False,
        )

    def _client_for(self, url: str) -> httpx.AsyncClient:
        """Return the client for a URL.

        Certificates trusted for the service aren't trusted for other hosts.
        """
        try:
            place = httpx.URL(url)
            is_here = (place.host, place.port) == (self._url.host, self._url.port)
        except (httpx.InvalidURL, ValueError) as error:  # ValueError: invalid host name
            raise AnswerNotUnderstood("an invalid link") from error
        if place.scheme != "https":
            raise AnswerNotUnderstood("a link that isn't https")
        if is_here:
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
        return answer
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)


async def _send(http: httpx.AsyncClient, request: httpx.Request, total_s: float | None = None) -> Answer:
    async with asyncio.timeout(total_s):
        response = await _begun(http, request)
        try:
            return _answer_of(response, await read_whole(_unpacked(response)))
        finally:
            await response.aclose()


async def _begun(http: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
    """Return the response once its headers have arrived. The caller has to close it."""
    return await http.send(request, stream=True)


async def _write(response: httpx.Response, into: BinaryIO, most: int) -> None:
    async with aclosing(in_portions(_unpacked(response))) as portions:
        while True:
            with _translating():
                portion = await anext(portions, b"")
            if not portion:
                return
            most -= len(portion)
            if most < 0:
                raise AnswerNotUnderstood("the file is too large", status=response.status_code)
            await asyncio.to_thread(into.write, portion)


def _unpacked(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101  from an AsyncClient
    return unpacked(response.stream, response.headers.get("content-encoding", ""))


def _answer_of(response: httpx.Response, body: bytes) -> Answer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answer(response.status_code, headers, body)


async def _heard(
    portions: AsyncGenerator[bytes, None], tell: Callable[[], None]
) -> AsyncGenerator[bytes, None]:
    """Yield the same bytes, and call ``tell`` for each chunk, also for keep-alive comments."""
    async with aclosing(portions):
        async for portion in portions:
            tell()
            yield portion


async def _events(
    response: httpx.Response, heard: Callable[[], None]
) -> AsyncGenerator[ServerSentEvent, None]:
    # Event streams are always UTF-8, so only the media type matters.
    kind = response.headers.get("content-type", "").partition(";")[0]
    body = in_events(_heard(_unpacked(response), heard))
    plain = httpx.Response(200, headers={"Content-Type": kind}, content=body)
    with _translating():
        async with aclosing(EventSource(plain).aiter_sse()) as events:
            async for event in events:
                yield event


@contextmanager
def _translating() -> Iterator[None]:
    """Convert every error of a request, a response or a link to ClientError."""
    try:
        yield
    except Exception as error:
        raise _translated(error) from error


def _do_nothing() -> None:
    return


async def _one(body: bytes) -> AsyncIterator[bytes]:
    yield body


@cache
def _usual_trust() -> ssl.SSLContext:
    """Return the system's certificates, loaded once: loading takes longer than a call."""
    return ssl.create_default_context()


class _Network(httpx.AsyncBaseTransport):
    """Sends calls on the event loop and files from threads."""

    def __init__(self, context: ssl.SSLContext, way: Way) -> None:
        self._context = context
        self._way = way
        self._calls = ExactTransport(context, lambda: session(context, way))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = request.extensions.get(_FILE)
        if not isinstance(body, FileBody):
            return await self._calls.handle_async_request(request)
        url = request.url
        answer = await put_file(
            url.host, url.port or 443, url.raw_path, request.headers.raw, body, self._context, self._way
        )
        # Pass an iterator: httpx would decompress bytes itself, without a limit.
        return httpx.Response(
            answer.status, headers=answer.headers, content=_one(answer.body), request=request
        )

    async def aclose(self) -> None:
        await self._calls.aclose()


def _checked_url(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url.strip())
    except httpx.InvalidURL as error:
        raise ValueError("This isn't the address of a service. It looks like https://example.com.") from error
    if url.scheme != "https" or not url.host:
        raise ValueError("The address must start with https://, so that the key is never sent unencrypted.")
    if url.userinfo or url.query or url.fragment:
        raise ValueError("The address must not contain a user name, a question mark or a number sign.")
    return url


def _translated(error: Exception) -> ClientError:
    """Return the ClientError for any error of a call.

    Libraries raise various exceptions for malformed headers, names and encodings. All of them mean that the
    response can't be read, so the call has failed like any other.
    """
    if isinstance(error, TimeoutError) and not isinstance(error, aiohttp.ClientError):
        return TimedOut(str(error) or "no response in time")
    if isinstance(error, SSEError):
        return AnswerNotUnderstood("not an event stream")
    if not isinstance(error, httpx.HTTPError | aiohttp.ClientError | OSError):
        _log.warning("an unreadable response: %s", type(error).__name__)
        return AnswerNotUnderstood(f"an unreadable response: {type(error).__name__}")
    causes = causes_of(error)
    proxy = next((cause for cause in causes if isinstance(cause, ProxyError)), None)
    if proxy is not None:
        return ProxyFailed(proxy)
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return CertificateRejected("the certificate isn't trusted")
    if any(isinstance(cause, aiohttp.ClientConnectorError | httpx.ConnectError) for cause in causes):
        return NotConnected(type(causes[-1]).__name__)
    # The transport reports every broken connection as a timeout. Only a TimeoutError as its cause is one.
    if isinstance(error, httpx.TimeoutException) and not any(
        isinstance(cause, aiohttp.ClientError) and not isinstance(cause, TimeoutError) for cause in causes
    ):
        return TimedOut("no response in time")
    return ServiceUnreachable(type(causes[-1]).__name__)
