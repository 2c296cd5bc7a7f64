"""The client for user-provided URLs."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Collection, Mapping
from datetime import timedelta
from threading import Lock
from typing import TYPE_CHECKING, Final

from app.network import Way
from app.service.outbound.policy import HTTPS, Answer, Download, OutboundPolicy

if TYPE_CHECKING:
    from app.service.outbound.guard import Resolve
    from app.service.outbound.http import GuardedHttp, Transport

REDIRECTS_MAX: Final = 3
"""Maximum number of redirects of an import."""
DOWNLOAD_BYTES_MAX: Final = 5 * 1024**3
"""Maximum size of a download unless the caller sets a lower one, in bytes."""


class OutboundClient:
    """Calls public addresses over HTTP. Has to be closed.

    It uses no cookies and no credentials from the environment, and accepts no compression. The same holds
    with a proxy: names are resolved here, and the proxy gets a checked address, unless the settings leave
    names to the proxy. Raises AddressRefusedError before connecting, OutboundTimeoutError, or
    OutboundFailedError.
    """

    def __init__(
        self,
        policy: OutboundPolicy,
        *,
        resolve: "Resolve | None" = None,
        way: Way | None = None,
        transport: "Transport | None" = None,
    ) -> None:
        """Raises CommandProblem for an ``extra_ca`` that holds no authorities.

        Without ``resolve`` the system resolves names, and without a ``way`` no proxy is used. A ``transport``
        replaces the network, with ``resolve`` and ``way``.
        """
        self._policy = policy
        self._resolve = resolve
        self._way = way
        self._transport = transport
        self._lock = Lock()
        self._http: GuardedHttp | None = None
        if policy.extra_ca is not None:
            self._load()

    async def check_url(self, url: str, *, schemes: Collection[str] = HTTPS) -> None:
        """Check a URL that will be called later.

        A name that currently can't be resolved is accepted. Raises AddressRefusedError.
        """
        http = await self._loaded()
        await http.check_url(url, schemes=schemes)

    async def post(
        self,
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes,
        timeout: timedelta,  # noqa: ASYNC109  part of the API
    ) -> Answer:
        """POST ``body`` to an https URL, without redirects. ``timeout`` applies to the whole call."""
        http = await self._loaded()
        return await http.post(url, headers=headers, body=body, timeout=timeout)

    @contextlib.asynccontextmanager
    async def stream_get(
        self,
        url: str,
        *,
        redirects: int = REDIRECTS_MAX,
        timeout: timedelta,  # noqa: ASYNC109  see post
        bytes_max: int = DOWNLOAD_BYTES_MAX,
    ) -> AsyncIterator[Download]:
        """GET an http or https URL. ``timeout`` covers the whole block, including reading the body.

        Follows up to ``redirects`` redirects, each checked like the first URL, and none from https to http.
        """
        http = await self._loaded()
        async with http.stream_get(url, redirects=redirects, timeout=timeout, bytes_max=bytes_max) as found:
            yield found

    async def close(self) -> None:
        """Close all connections."""
        if self._http is not None:
            await self._http.close()

    async def _loaded(self) -> "GuardedHttp":
        if self._http is not None:
            return self._http
        return await asyncio.to_thread(self._load)

    def _load(self) -> "GuardedHttp":
        with self._lock:
            if self._http is None:
                from app.service.outbound.http import GuardedHttp

                self._http = GuardedHttp(
                    self._policy, resolve=self._resolve, way=self._way, transport=self._transport
                )
            return self._http
