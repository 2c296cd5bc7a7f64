"""Where browsers come back to, and what such an address holds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

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
        return self.origin + choice_path(token)


def choice_path(token: str) -> str:
    """The choice page below any origin; its secret is in the query, which no log holds."""
    return f"/choose?token={token}"


def answer_in(address: str) -> dict[str, str]:
    """The platform's answer in the address at which a browser ended; what is no address holds none."""
    try:
        return dict(parse_qsl(urlsplit(address.strip()).query))
    except ValueError:
        return {}
