"""HTTP, and the only module of this room that knows which library speaks it."""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

from app.client.errors import (
    AnswerNotUnderstood,
    CertificateRejected,
    ClientError,
    ServiceUnreachable,
    TimedOut,
)

Transport = httpx.AsyncBaseTransport

ANSWER_BYTES_MAX = 16 * 1024 * 1024
"""A page of 100 posts of 10,000 characters, each written as an escape, is 6 MiB."""

_TIMEOUT = httpx.Timeout(20, connect=10)
_TOTAL_S = 60
"""The whole call: a server that sends a byte now and then does not hold us for ever."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers with lower-case names, and the whole body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Wire:
    """A connection pool to one service. Follows no redirect and reads no proxy from the environment.

    Raises ValueError for an address that is not https, or a key that cannot stand in a header.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        ssl_context: ssl.SSLContext | None = None,
        transport: Transport | None = None,
    ) -> None:
        self._url = _checked_url(base_url)
        if not (api_key.isascii() and api_key.isprintable() and api_key.strip() == api_key != ""):
            raise ValueError("The API key has characters that no key has. Copy it again, without spaces.")
        self._api_key = api_key
        context = ssl_context or ssl.create_default_context()
        self._http = httpx.AsyncClient(
            transport=transport or AiohttpTransport(verify=context, trust_env=False),
            headers={"Accept-Encoding": "identity", "User-Agent": "Kalends"},
            timeout=_TIMEOUT,
            trust_env=False,
        )

    @property
    def base_url(self) -> str:
        """Without a slash at the end."""
        return str(self._url).rstrip("/")

    async def call(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: str | None = None
    ) -> Answer:
        """Sends one request and reads the answer. ``body`` is JSON.

        Raises ServiceUnreachable, CertificateRejected, TimedOut, or AnswerNotUnderstood for a body too big.
        """
        headers = {"Authorization": f"Bearer {self._api_key}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        url = self.base_url + path
        return await self._answer(
            self._http.build_request(method, url, params=query, content=body, headers=headers)
        )

    async def visit(self, url: str) -> int:
        """Gets a page without the key; gives the status. Raises like ``call``."""
        return (await self._answer(self._http.build_request("GET", url))).status

    async def _answer(self, request: httpx.Request) -> Answer:
        try:
            async with asyncio.timeout(_TOTAL_S):
                return await self._send(request)
        except TimeoutError as error:
            raise TimedOut(f"no answer within {_TOTAL_S} s") from error
        except (httpx.HTTPError, aiohttp.ClientError, OSError) as error:
            raise _translated(error) from error

    async def _send(self, request: httpx.Request) -> Answer:
        response = await self._http.send(request, stream=True)
        try:
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > ANSWER_BYTES_MAX:
                    raise AnswerNotUnderstood("an answer too big", status=response.status_code)
        finally:
            await response.aclose()
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status_code, headers, bytes(body))

    async def close(self) -> None:
        await self._http.aclose()


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
    causes = list(_causes(error))
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return CertificateRejected("the certificate is not a trusted one")
    # The transport calls every broken connection a timeout; only a TimeoutError behind it is one.
    if isinstance(error, httpx.TimeoutException) and not any(
        isinstance(cause, aiohttp.ClientError) and not isinstance(cause, TimeoutError) for cause in causes
    ):
        return TimedOut("no answer in time")
    return ServiceUnreachable(type(causes[-1]).__name__)


def _causes(error: BaseException | None) -> list[BaseException]:
    causes: list[BaseException] = []
    while error is not None and error not in causes:
        causes.append(error)
        error = error.__cause__ or error.__context__
    return causes
