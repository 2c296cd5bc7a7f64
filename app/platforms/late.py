"""Adapters that are imported after the service has started to answer."""

import asyncio
from collections.abc import Iterator, Mapping
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Self

from app.contract.enums import ConnectionPlatform
from app.network import Way
from app.platforms.adapters import Adapter
from app.platforms.base import Clock, HeardTime, TimeSource
from app.platforms.cards import CALLED_PLATFORMS

if TYPE_CHECKING:
    from app.platforms.registry import PlatformAdapters
    from app.platforms.wire import Guard


class LateAdapters(Mapping[ConnectionPlatform, Adapter]):
    """Adapters by platform, imported and created by `load` or on first use.

    Importing them with aiohttp, and loading the system's certificate authorities, takes as long as everything
    else a service needs to start answering.
    """

    def __init__(
        self,
        practice_url: str | None,
        *,
        instagram_login: bool,
        way: Way,
        clock: Clock,
        heard: HeardTime,
        guard: "Guard | None" = None,
    ) -> None:
        """Takes the arguments of `build_adapters`."""
        self._practice_url = practice_url
        self._instagram_login = instagram_login
        self._way = way
        self._clock = clock
        self._heard = heard
        self._guard = guard
        self._lock = Lock()
        self._loaded: PlatformAdapters | None = None

    def load(self) -> "PlatformAdapters":
        """Import and create the adapters unless they are loaded. Blocking."""
        with self._lock:
            if self._loaded is None:
                from app.platforms.registry import build_adapters

                self._loaded = build_adapters(
                    self._practice_url,
                    instagram_login=self._instagram_login,
                    way=self._way,
                    clock=self._clock,
                    heard=self._heard,
                    guard=self._guard,
                )
            return self._loaded

    async def wait(self) -> None:
        """Wait until the adapters are loaded, in a thread, so the event loop isn't blocked."""
        if self._loaded is None:
            await asyncio.to_thread(self.load)

    def __getitem__(self, platform: ConnectionPlatform) -> Adapter:
        return self.load()[platform]

    def __iter__(self) -> Iterator[ConnectionPlatform]:
        return map(ConnectionPlatform, CALLED_PLATFORMS)

    def __len__(self) -> int:
        return len(CALLED_PLATFORMS)

    async def ask_time(self, source: TimeSource) -> None:
        """Make the smallest call whose response contains the source's time. Raises PlatformError."""
        adapters = await asyncio.to_thread(self.load)
        await adapters.ask_time(source)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._loaded is not None:
            await self._loaded.close()
