"""A connected account."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.contract.enums import ConnectionPlatform

RENEWED: Final = frozenset({ConnectionPlatform.X, ConnectionPlatform.YOUTUBE, ConnectionPlatform.TIKTOK})
"""Platforms whose access lasts for hours and is renewed by the service with a second token."""


@dataclass(frozen=True, slots=True)
class Account:
    """What the app shows of a connection. ``color_index`` stays with the account for good.

    Not available means that it must be connected again. ``practice``: the platform behind it is a stand-in.
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

    @property
    def access_ends_at(self) -> datetime | None:
        """When the account has to be connected again; None where nobody knows or it never has to be."""
        return None if self.practice or self.platform in RENEWED else self.token_expires_at
