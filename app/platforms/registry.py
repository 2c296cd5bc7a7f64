"""The adapters of all supported platforms."""

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

from app.contract.enums import ConnectionPlatform
from app.network import Way
from app.platforms.adapters import Adapter, ServerAdapter
from app.platforms.base import Clock, HeardTime, TimeSource
from app.platforms.bluesky.adapter import Bluesky
from app.platforms.card import Hosts
from app.platforms.cards import CARDS, TIMED_PLATFORMS, hosts_of, instagram_login_hosts, name_of
from app.platforms.facebook.adapter import Facebook
from app.platforms.http import Call, PlatformHttp
from app.platforms.instagram.adapter import Instagram, InstagramLogin
from app.platforms.linkedin.adapter import LinkedIn
from app.platforms.mastodon.adapter import Mastodon
from app.platforms.pinterest.adapter import Pinterest
from app.platforms.threads.adapter import Threads
from app.platforms.tiktok.adapter import TikTok
from app.platforms.wire import Guard, Network, Timeouts, Wire
from app.platforms.x.adapter import X
from app.platforms.youtube.adapter import YouTube

_Maker = Callable[[PlatformHttp, Hosts, Clock], Adapter]
_ADAPTERS: Final[Mapping[str, _Maker]] = {
    "linkedin": LinkedIn,
    "tiktok": TikTok,
    "pinterest": Pinterest,
    "instagram": Instagram,
    "youtube": YouTube,
    "x": X,
    "facebook": Facebook,
    "threads": Threads,
    "bluesky": Bluesky,
    "mastodon": Mastodon,
}
"""By the card's key."""


class PlatformAdapters(Mapping[ConnectionPlatform, Adapter]):
    """Adapters by platform, with connection pools that are closed with them."""

    def __init__(
        self,
        adapters: Mapping[ConnectionPlatform, Adapter],
        wires: Collection[Wire],
        ways: Mapping[ConnectionPlatform, tuple[PlatformHttp, Hosts]],
    ) -> None:
        self._adapters = dict(adapters)
        self._ways = ways
        self._wires = wires

    def __getitem__(self, platform: ConnectionPlatform) -> Adapter:
        return self._adapters[platform]

    def __iter__(self) -> Iterator[ConnectionPlatform]:
        return iter(self._adapters)

    def __len__(self) -> int:
        return len(self._adapters)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def ask_time(self, source: TimeSource) -> None:
        """Make the smallest call whose response contains the source's time. Raises PlatformError."""
        http, hosts = self._ways[source.platform]
        adapter = self._adapters[source.platform]
        if not source.server:
            await http.send(Call(method="HEAD", url=f"{hosts.api}/"))
        elif isinstance(adapter, ServerAdapter):
            await adapter.ask_time(source.server)

    async def close(self) -> None:
        """Close all connections; calls in progress fail."""
        for wire in self._wires:
            await wire.aclose()


def _hear(
    heard: HeardTime, platform: ConnectionPlatform, hosts: Hosts, url: str, theirs: datetime, asked: float
) -> None:
    """Name the source of a time: the platform, or a server that isn't its own."""
    is_own = platform in TIMED_PLATFORMS and (
        not CARDS[platform].has_servers or url.startswith(f"{hosts.api}/")
    )
    heard(TimeSource(platform, "" if is_own else urlsplit(url).netloc), theirs, asked)


def utc_now() -> datetime:
    """Return the time of this computer's clock."""
    return datetime.now(UTC)


def build_adapters(
    practice_url: str | None = None,
    *,
    timeouts: Timeouts | None = None,
    wire: Wire | None = None,
    clock: Clock = utc_now,
    instagram_login: bool = False,
    way: Way | None = None,
    heard: HeardTime | None = None,
    guard: Guard | None = None,
) -> PlatformAdapters:
    """Create an adapter for each platform.

    Args:
        practice_url: URL of the practice platforms; None for the real ones.
        timeouts: How long to wait for platforms.
        wire: Transport of the calls; None for the network.
        clock: Wall time.
        way: How to connect, such as through a proxy.
        heard: Called with each time that a response contains.
        guard: Restricts calls to servers that users name. With practice platforms, none are called.
        instagram_login: Whether the app for Instagram uses Instagram Login, without Pages.
    """
    timeouts = timeouts or Timeouts()
    ours = wire or Network(timeouts, way)
    others = Network(timeouts, way, guard) if guard and not wire and practice_url is None else ours
    adapters: dict[ConnectionPlatform, Adapter] = {}
    ways: dict[ConnectionPlatform, tuple[PlatformHttp, Hosts]] = {}
    for key, made in _ADAPTERS.items():
        platform, hosts = ConnectionPlatform(key), hosts_of(key, practice_url)
        listener = None if heard is None else partial(_hear, heard, platform, hosts)
        carrier = others if CARDS[key].has_servers else ours
        http = PlatformHttp(carrier, name_of(key), timeouts, clock, listener)
        ways[platform] = http, hosts
        adapters[platform] = made(http, hosts, clock)
    if instagram_login:
        http, hosts = ways[ConnectionPlatform.INSTAGRAM][0], instagram_login_hosts(practice_url)
        ways[ConnectionPlatform.INSTAGRAM] = http, hosts
        adapters[ConnectionPlatform.INSTAGRAM] = InstagramLogin(http, hosts, clock)
    wires = (ours,) if others is ours else (ours, others)
    return PlatformAdapters(adapters, wires, ways)
