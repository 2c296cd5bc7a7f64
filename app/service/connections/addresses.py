"""Redirect URIs, and the parameters in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from app.contract.enums import ConnectionPlatform


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of this installation for platforms and browsers.

    Attributes:
        origin: Origin of the callback, such as ``http://127.0.0.1:17217``.
        elsewhere: Other redirect URIs, for platforms that don't accept ours; the user copies the final
            address from the browser.
    """

    origin: str
    elsewhere: Mapping[ConnectionPlatform, str] = field(default_factory=dict)

    def redirect_uri(self, platform: ConnectionPlatform) -> str:
        """Return the redirect URI to register with the platform."""
        return self.elsewhere.get(platform) or f"{self.origin}/callback/{platform.value}"

    def choice(self, token: str) -> str:
        """Return the URL of the page for choosing among several accounts."""
        return self.origin + choice_path(token)


def choice_path(token: str) -> str:
    """Return the path of the choice page. Its secret is in the query, which isn't logged."""
    return f"/choose?token={token}"


def answer_in(address: str) -> dict[str, str]:
    """Return the platform's parameters in the final address of a browser; none if it isn't a URL."""
    try:
        return dict(parse_qsl(urlsplit(address.strip()).query))
    except ValueError:
        return {}
