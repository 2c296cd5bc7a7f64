"""HTTP calls to user-provided URLs. The only module of this package that imports httpx.

Uses aiohttp as transport: httpx's own connection pool is several times slower under load.
"""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterator, Mapping
from datetime import timedelta
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Final
from urllib.parse import urljoin

import aiohttp
import httpx
import structlog

from app.network import PrivateAddressError, ProxyError, Way
from app.network.exact import RESPONSE, ExactTransport
from app.network.pieces import TinyPiecesError, pieces_of
from app.network.proxy import causes_of
from app.service.outbound.guard import (
    GuardedResolver,
    Resolve,
    guarded_connector,
    system_resolve,
    trust_of,
)
from app.service.outbound.policy import (
    HTTP_AND_HTTPS,
    HTTPS,
    AddressRefusedError,
    Answer,
    Download,
    OutboundError,
    OutboundFailedError,
    OutboundPolicy,
    OutboundTimeoutError,
    PrivateTargetError,
    Target,
)

_TIMEOUTS: Final = httpx.Timeout(30.0, connect=10.0, pool=None)
_CLOSING_S: Final = 0.05
"""Time for closing connections during a TLS handshake, which takes a few loop iterations, in s."""
_RESOLVE_S: Final = 3.0
_DRAIN_BYTES: Final = 64 * 1024
_DRAIN_S: Final = 1.0
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_BROKEN: Final = (httpx.HTTPError, httpx.InvalidURL, aiohttp.ClientError, OSError)

_log = structlog.get_logger(__name__)

Transport = httpx.AsyncBaseTransport
"""Sends requests: the network, or a replacement."""


class GuardedHttp:
    """The HTTP implementation of `OutboundClient`."""

    def __init__(
        self,
        policy: OutboundPolicy,
        *,
        resolve: Resolve | None = None,
        way: Way | None = None,
        transport: Transport | None = None,
    ) -> None:
        """Load the trusted authorities. Raises CommandProblem if ``extra_ca`` contains none.

        Without ``way``, no proxy is used. ``transport`` replaces the network.
        """
        self._policy = policy
        self._way = way or Way()
        self._resolver = GuardedResolver(policy, resolve or system_resolve)
        self._http = httpx.AsyncClient(
            transport=transport or self._network(),
            timeout=_TIMEOUTS,
            headers={"User-Agent": "Kalends", "Accept": "*/*", "Accept-Encoding": "identity"},
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            follow_redirects=False,
            trust_env=False,
        )

    async def check_url(self, url: str, *, schemes: Collection[str]) -> None:
        """Check a URL that will be called later.

        A name that currently can't be resolved is accepted. Raises AddressRefusedError.
        """
        target = self._target(url, schemes)
        if target.address is not None or await self._is_left_to_proxy(target):
            return
        try:
            async with asyncio.timeout(_RESOLVE_S):
                await self._resolver.resolve(target.host)
        except PrivateAddressError:
            raise PrivateTargetError from None
        except OSError:  # includes TimeoutError
            return

    async def post(
        self,
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes,
        timeout: timedelta,  # noqa: ASYNC109  part of the API
    ) -> Answer:
        """POST ``body`` to an https URL, without redirects. ``timeout`` applies to the whole call."""
        target = self._target(url, HTTPS)
        async with _bounded(timeout):
            response = await self._send("POST", target, headers, body)
        await _drain(response)
        return Answer(response.status_code)

    @contextlib.asynccontextmanager
    async def stream_get(
        self,
        url: str,
        *,
        redirects: int,
        timeout: timedelta,  # noqa: ASYNC109  see post
        bytes_max: int,
    ) -> AsyncIterator[Download]:
        """GET an http or https URL. ``timeout`` covers the whole block, including reading the body.

        Follows up to ``redirects`` redirects, each checked like the first URL, and none from https to http.
        """
        async with _bounded(timeout):
            response, target = await self._follow(self._target(url, HTTP_AND_HTTPS), redirects)
            chunks = _chunks(response, bytes_max)
            try:
                length = _announced(response, bytes_max)
                yield Download(response.status_code, _content_type(response), length, chunks, target.url)
            finally:
                await chunks.aclose()
                await response.aclose()

    async def _is_left_to_proxy(self, target: Target) -> bool:
        if not self._way.settings.names_at_proxy:
            return False
        try:
            return await self._way.proxy_for(target.host, secure=target.scheme == "https") is not None
        except ProxyError:  # reported when the URL is called
            return True

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()
        await asyncio.sleep(_CLOSING_S)

    async def _follow(self, target: Target, redirects: int) -> tuple[httpx.Response, Target]:
        for _ in range(redirects + 1):
            response = await self._send("GET", target, {}, None)
            location = response.headers.get("location")
            if response.status_code not in _REDIRECTS or location is None:
                return response, target
            await response.aclose()
            target = self._target(_joined(target.url, location), _schemes_after(target))
        raise OutboundFailedError("The address redirects too often.")

    def _target(self, url: str, schemes: Collection[str]) -> Target:
        target = Target.parse(url, schemes)
        self._policy.check(target)
        return target

    async def _send(
        self, method: str, target: Target, headers: Mapping[str, str], body: bytes | None
    ) -> httpx.Response:
        with _translated():
            request = self._http.build_request(method, target.url, headers=dict(headers), content=body)
            return await self._http.send(request, stream=True)

    def _network(self) -> ExactTransport:
        context = trust_of(self._policy.extra_ca)
        return ExactTransport(context, lambda: self._session(context))

    def _session(self, context: ssl.SSLContext) -> aiohttp.ClientSession:
        # Callers limit their calls: one slow receiver must not delay others.
        connector = guarded_connector(self._policy, self._way, context, self._resolver)
        return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())


@contextlib.asynccontextmanager
async def _bounded(total: timedelta) -> AsyncIterator[None]:
    deadline = asyncio.timeout(total.total_seconds())
    try:
        async with deadline:
            yield
    except TimeoutError:
        if not deadline.expired():
            raise
        raise OutboundTimeoutError(
            f"There was no response within {total.total_seconds():g} seconds."
        ) from None


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    """Convert library errors to ours, without their causes, which contain URLs and headers.

    For malformed names and headers, the libraries raise errors of any type.
    """
    try:
        yield
    except OutboundError:
        raise
    except _BROKEN as error:
        problem = _problem(error)
    except Exception as error:  # noqa: BLE001  any error means an unreadable response
        _log.warning("a response can't be read", reason=type(error).__name__)
        problem = OutboundFailedError("The server's response can't be read.")
    else:
        return
    raise problem


def _problem(error: Exception) -> Exception:
    causes = causes_of(error)

    def is_any(*kinds: type[Exception]) -> bool:
        return any(isinstance(cause, kinds) for cause in causes)

    if is_any(PrivateAddressError):
        return PrivateTargetError()
    if is_any(ProxyError):
        return OutboundFailedError(next(str(cause) for cause in causes if isinstance(cause, ProxyError)))
    if is_any(aiohttp.ClientConnectorDNSError):
        return OutboundFailedError("The host name couldn't be found.")
    if is_any(ssl.SSLCertVerificationError):
        return OutboundFailedError("The server's certificate isn't trusted, or isn't for this host.")
    if is_any(ssl.SSLError):
        return OutboundFailedError("A secure connection to the server couldn't be established.")
    if is_any(TinyPiecesError):
        return OutboundFailedError("The server sends the file in pieces that are too small.")
    if is_any(aiohttp.ServerTimeoutError):
        return OutboundTimeoutError("The server didn't respond in time.")
    if is_any(aiohttp.ClientConnectorError):
        return OutboundFailedError("The server couldn't be reached.")
    return OutboundFailedError("The connection ended before the response was complete.")


async def _drain(response: httpx.Response) -> None:
    """Read a short rest so that the connection can be reused; otherwise close it."""
    with contextlib.suppress(*_BROKEN):
        async with asyncio.timeout(_DRAIN_S):
            size = 0
            async for chunk in _pieces(response):
                size += len(chunk)
                if size > _DRAIN_BYTES:
                    break
    await response.aclose()


def _pieces(response: httpx.Response) -> AsyncIterator[bytes]:
    """Return the pieces in which a body arrives; httpx would join them. Raises TinyPiecesError."""
    found: aiohttp.ClientResponse | None = response.extensions.get(RESPONSE)
    return response.aiter_raw() if found is None else pieces_of(found.content)


async def _chunks(response: httpx.Response, bytes_max: int) -> AsyncGenerator[bytes, None]:
    size = 0
    with _translated():
        async for chunk in _pieces(response):
            size += len(chunk)
            if size > bytes_max:
                raise _too_long(bytes_max)
            yield chunk


def _announced(response: httpx.Response, bytes_max: int) -> int | None:
    """Return the announced length. Raises OutboundFailedError if it's too long or compressed."""
    if response.headers.get("content-encoding", "identity").strip().lower() not in ("identity", ""):
        raise OutboundFailedError("The server sent the file compressed, which isn't supported.")
    announced = response.headers.get("content-length", "")
    if not announced.isdecimal():
        return None
    if int(announced) > bytes_max:
        raise _too_long(bytes_max)
    return int(announced)


def _too_long(bytes_max: int) -> OutboundFailedError:
    return OutboundFailedError(f"The file is longer than {bytes_max} bytes.")


def _content_type(response: httpx.Response) -> str:
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        raise AddressRefusedError("The address redirects to something that isn't an address.") from None


def _schemes_after(target: Target) -> Collection[str]:
    return HTTPS if target.scheme == "https" else HTTP_AND_HTTPS
