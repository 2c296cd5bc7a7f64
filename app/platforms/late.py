"""The adapters of a program that answers before it has imported them."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Self

from app.contract.enums import ConnectionPlatform
from app.network import Way
from app.platforms.base import Adapter, Clock
from app.platforms.cards import CARDS

if TYPE_CHECKING:
    from app.platforms.registry import PlatformAdapters


class LateAdapters(Mapping[ConnectionPlatform, Adapter]):
    """Adapters by platform, imported and built by `load`, or when the first of them is asked for.

    Importing them with aiohttp, and reading which authorities this computer trusts, takes as long as
    everything else that a service needs to answer.
    """

    def __init__(
        self,
        practice_url: str | None,
        *,
        instagram_login: bool,
        way: Way,
        clock: Clock,
        heard: Callable[[ConnectionPlatform, datetime, float], None],
    ) -> None:
        """The arguments are those of `build_adapters`."""
        self._practice_url = practice_url
        self._instagram_login = instagram_login
        self._way = way
        self._clock = clock
        self._heard = heard
        self._lock = Lock()
        self._loaded: PlatformAdapters | None = None

    def load(self) -> "PlatformAdapters":
        """Import and build what isn't there yet. Blocking."""
        with self._lock:
            if self._loaded is None:
                from app.platforms.registry import build_adapters

                self._loaded = build_adapters(
                    self._practice_url,
                    instagram_login=self._instagram_login,
                    way=self._way,
                    clock=self._clock,
                    heard=self._heard,
                )
            return self._loaded

    async def wait(self) -> None:
        """Wait until the adapters are built, which happens in a thread, so the event loop isn't held up."""
        if self._loaded is None:
            await asyncio.to_thread(self.load)

    def __getitem__(self, platform: ConnectionPlatform) -> Adapter:
        return self.load()[platform]

    def __iter__(self) -> Iterator[ConnectionPlatform]:
        return map(ConnectionPlatform, CARDS)

    def __len__(self) -> int:
        return len(CARDS)

    async def ask_time(self, platform: ConnectionPlatform) -> None:
        """Make the smallest call that has an answer with the time. Raises PlatformError."""
        adapters = await asyncio.to_thread(self.load)
        await adapters.ask_time(platform)

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
