"""The cards of all platforms: the table that everything about a platform is read from."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.contract.enums import ConnectionPlatform
from app.language import tr
from app.platforms.bluesky.card import BLUESKY
from app.platforms.by_hand import BY_HAND, SUFFIX
from app.platforms.card import Brand, Card, Hosts
from app.platforms.facebook.card import FACEBOOK
from app.platforms.instagram.card import INSTAGRAM, INSTAGRAM_LOGIN
from app.platforms.linkedin.card import LINKEDIN
from app.platforms.mastodon.card import MASTODON
from app.platforms.pinterest.card import PINTEREST
from app.platforms.threads.card import THREADS
from app.platforms.tiktok.card import TIKTOK
from app.platforms.x.card import X
from app.platforms.youtube.card import YOUTUBE

CARDS: Final[Mapping[str, Card]] = MappingProxyType(
    {
        card.key: card
        for card in (
            LINKEDIN,
            TIKTOK,
            PINTEREST,
            INSTAGRAM,
            YOUTUBE,
            X,
            FACEBOOK,
            THREADS,
            BLUESKY,
            MASTODON,
            *BY_HAND,
        )
    }
)
"""By key. Members of the contract's enums are strings, so they find their card, too."""

COMPANION_NETWORKS: Final = tuple(key for key, card in CARDS.items() if card.is_companion)
"""Keys of the networks beyond the specification. They never appear in ``/api/v1``."""

CALLED_PLATFORMS: Final = tuple(key for key, card in CARDS.items() if not card.is_by_hand)
"""Keys of the platforms that have an adapter."""

TIMED_PLATFORMS: Final = tuple(key for key in CALLED_PLATFORMS if CARDS[key].hosts.api)
"""Keys of the platforms whose own servers can tell the time; a network of many servers may have none."""


def name_of(platform: str) -> str:
    """Return the platform's own spelling of its name; an unknown one as it is."""
    card = CARDS.get(platform)
    if card is None:
        return platform
    return tr("{platform} (by hand)", platform=own_name(platform)) if card.is_by_hand else card.name


def own_key(platform: str) -> str:
    """Return the key of a platform, also if it's published to by hand."""
    return platform.removesuffix(SUFFIX)


def own_name(platform: str) -> str:
    """Return the name of a platform, also if it's published to by hand."""
    card = CARDS.get(own_key(platform))
    return platform if card is None else card.name


def is_by_hand(platform: str) -> bool:
    """Whether the user publishes to a platform themselves, in its own composer."""
    card = CARDS.get(platform)
    return card is not None and card.is_by_hand


def by_hand_key(platform: str) -> str:
    """Return the key of a platform's card for publishing by hand; "" if it has none."""
    key = platform if is_by_hand(platform) else platform + SUFFIX
    return key if key in CARDS else ""


def offers_by_hand(platform: str) -> bool:
    """Whether single posts of a connected account can be published by hand."""
    return not is_by_hand(platform) and bool(by_hand_key(platform))


def brand_of(platform: str) -> Brand:
    """Return how the app shows a platform; the defaults for an unknown one."""
    card = CARDS.get(platform)
    return Brand() if card is None else card.brand


def hosts_of(platform: str, practice_url: str | None = None) -> Hosts:
    """Return the hosts of a platform. Raises KeyError if it has no card.

    The practice platform replaces every host; paths and versions stay.
    """
    hosts = CARDS[platform].hosts
    return hosts if practice_url is None else _replaced(hosts, f"{practice_url.rstrip('/')}/{platform}")


def instagram_login_hosts(practice_url: str | None) -> Hosts:
    """Return the hosts of Instagram Login, or of its practice platform."""
    if practice_url is None:
        return INSTAGRAM_LOGIN
    base = practice_url.rstrip("/")
    return _replaced(INSTAGRAM_LOGIN, f"{base}/instagram-login")._replace(people=f"{base}/instagram")


def _replaced(hosts: Hosts, base: str) -> Hosts:
    return hosts._replace(
        consent=base,
        issuer=base,
        api=base,
        reports=base,
        videos=base,
        people=base,
        directory=base,
        uploads=(),
    )


def origins(practice_url: str | None, *, instagram_login: bool = False) -> dict[ConnectionPlatform, set[str]]:
    """Return the base URLs that Kalends calls or opens in browsers, by platform."""
    every = {ConnectionPlatform(key): hosts_of(key, practice_url) for key in CALLED_PLATFORMS}
    if instagram_login:
        every[ConnectionPlatform.INSTAGRAM] = instagram_login_hosts(practice_url)
    return {
        platform: {hosts.consent, hosts.issuer, hosts.api, hosts.reports, hosts.videos} - {""}
        for platform, hosts in every.items()
    }
