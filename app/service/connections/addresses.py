"""Where browsers come back to."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.contract.enums import ConnectionPlatform


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of this installation that platforms and browsers are told.

    Attributes:
        origin: Where the callback is served, such as ``http://127.0.0.1:17217``.
        elsewhere: Redirect addresses that are not ours, for platforms that take none of ours; the person
            copies the final address out of the browser.
    """

    origin: str
    elsewhere: Mapping[ConnectionPlatform, str] = field(default_factory=dict)

    def redirect_uri(self, platform: ConnectionPlatform) -> str:
        """What is registered with the platform."""
        return self.elsewhere.get(platform) or f"{self.origin}/callback/{platform.value}"

    def choice(self, token: str) -> str:
        """The page on which one chooses among several accounts."""
        return f"{self.origin}/choose/{token}"
