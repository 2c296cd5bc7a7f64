"""A connected account."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from app.contract.enums import ConnectionPlatform
from app.platforms.card import Access
from app.platforms.cards import CARDS

if TYPE_CHECKING:
    # importing pydantic would delay the first window
    from app.contract.places import PlaceLimits


@dataclass(frozen=True, slots=True)
class Account:
    """A connection as the app shows it. ``color_index`` never changes.

    An account that isn't available has to be reconnected. ``practice``: its platform is a stand-in.
    ``is_sample``: it's part of the sample week and isn't connected to anything.
    ``server_limits`` are the last known limits of its server, as JSON; "" if it never reported any.
    ``sign_in_by``: when the user has to sign in again although access is renewed until then; None for never.
    """

    key: str
    platform: ConnectionPlatform
    name: str
    handle: str | None
    identifier: str
    avatar_url: str | None
    followers: int | None
    is_verified: bool | None
    is_available: bool
    token_expires_at: datetime | None
    connected_at: datetime
    color_index: int
    practice: bool
    is_sample: bool = False
    server_limits: str = ""
    sign_in_by: datetime | None = None

    @property
    def limits(self) -> "PlaceLimits | None":
        """The limits of its server; None if the platform's apply."""
        return read_limits(self.server_limits)

    @property
    def access_ends_at(self) -> datetime | None:
        """When the account has to be reconnected; None if that's unknown or never."""
        if self.practice:
            return None
        return self.sign_in_by if self.access is Access.HOURS else self.token_expires_at

    @property
    def access(self) -> Access:
        """How long access lasts on the platform; for an unknown platform, until ``token_expires_at``."""
        card = CARDS.get(self.platform)
        return Access.UNTIL_EXPIRY if card is None else card.access

    @property
    def takes_posts(self) -> bool:
        """Whether anything can be published; on an unknown platform, the service decides."""
        card = CARDS.get(self.platform)
        return card is None or card.posts is not None


@lru_cache(maxsize=100)
def read_limits(stored: str) -> "PlaceLimits | None":
    """Return the limits of a server, stored as JSON; None if "" or unreadable."""
    if not stored:
        return None

    from app.contract.places import PlaceLimits

    try:
        return PlaceLimits.model_validate_json(stored)
    except ValueError:  # written by a later version
        return None
