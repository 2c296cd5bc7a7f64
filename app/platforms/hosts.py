"""Where the platforms are, and which version of their API is spoken: the one table of both."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.contract.enums import ConnectionPlatform


@dataclass(frozen=True, slots=True)
class Hosts:
    """The bases of one platform's addresses, without a slash at the end.

    Attributes:
        consent: Where a browser asks the person.
        issuer: Where tokens are issued.
        api: Everything else.
        version: The version that calls name in a header or in their path; empty where the adapter's paths
            hold it.
    """

    consent: str
    issuer: str
    api: str
    version: str = ""


# Graph API v25.0 is served until 2028-07-29.
_GRAPH: Final = Hosts(
    consent="https://www.facebook.com",
    issuer="https://graph.facebook.com",
    api="https://graph.facebook.com",
    version="v25.0",
)

HOSTS: Final[Mapping[ConnectionPlatform, Hosts]] = MappingProxyType(
    {
        # LinkedIn keeps a version for a year; 202609 is served until 2027-09-15.
        ConnectionPlatform.LINKEDIN: Hosts(
            consent="https://www.linkedin.com",
            issuer="https://www.linkedin.com",
            api="https://api.linkedin.com",
            version="202609",
        ),
        ConnectionPlatform.TIKTOK: Hosts(
            consent="https://www.tiktok.com",
            issuer="https://open.tiktokapis.com",
            api="https://open.tiktokapis.com",
        ),
        ConnectionPlatform.PINTEREST: Hosts(
            consent="https://www.pinterest.com",
            issuer="https://api.pinterest.com",
            api="https://api.pinterest.com",
            version="v5",
        ),
        ConnectionPlatform.INSTAGRAM: _GRAPH,
        ConnectionPlatform.FACEBOOK: _GRAPH,
        ConnectionPlatform.YOUTUBE: Hosts(
            consent="https://accounts.google.com",
            issuer="https://oauth2.googleapis.com",
            api="https://www.googleapis.com",
        ),
        ConnectionPlatform.X: Hosts(
            consent="https://x.com", issuer="https://api.x.com", api="https://api.x.com"
        ),
        ConnectionPlatform.THREADS: Hosts(
            consent="https://www.threads.net",
            issuer="https://graph.threads.net",
            api="https://graph.threads.net",
            version="v1.0",
        ),
    }
)
"""The real platforms."""


def practice_hosts(practice_url: str, platform: ConnectionPlatform) -> Hosts:
    """The stand-in of a platform: every host is replaced, every path and the version stay."""
    base = f"{practice_url.rstrip('/')}/{platform.value}"
    return Hosts(consent=base, issuer=base, api=base, version=HOSTS[platform].version)
