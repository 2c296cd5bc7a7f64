"""The cards of all platforms: the table that everything about a platform is read from."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.platforms.bluesky.card import BLUESKY
from app.platforms.card import Brand, Card
from app.platforms.facebook.card import FACEBOOK
from app.platforms.instagram.card import INSTAGRAM
from app.platforms.linkedin.card import LINKEDIN
from app.platforms.pinterest.card import PINTEREST
from app.platforms.threads.card import THREADS
from app.platforms.tiktok.card import TIKTOK
from app.platforms.x.card import X
from app.platforms.youtube.card import YOUTUBE

CARDS: Final[Mapping[str, Card]] = MappingProxyType(
    {
        card.key: card
        for card in (LINKEDIN, TIKTOK, PINTEREST, INSTAGRAM, YOUTUBE, X, FACEBOOK, THREADS, BLUESKY)
    }
)
"""By key. Members of the contract's enums are strings, so they find their card, too."""

COMPANION_NETWORKS: Final = tuple(key for key, card in CARDS.items() if card.is_companion)
"""Keys of the networks beyond the specification. They never appear in ``/api/v1``."""


def name_of(platform: str) -> str:
    """Return the platform's own spelling of its name; an unknown one as it is."""
    card = CARDS.get(platform)
    return platform if card is None else card.name


def brand_of(platform: str) -> Brand:
    """Return how the app shows a platform; the defaults for an unknown one."""
    card = CARDS.get(platform)
    return Brand() if card is None else card.brand
