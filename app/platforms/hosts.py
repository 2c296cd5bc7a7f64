"""Where the platforms are, and which version of their API is spoken: the one table of both."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

from app.contract.enums import ConnectionPlatform


@dataclass(frozen=True, slots=True)
class Hosts:
    """The bases of one platform's addresses, without a slash at the end.

    Attributes:
        consent: Where a browser asks the person.
        issuer: Where tokens are issued.
        api: Everything else.
        version: The version that calls name in a header or in their path.
        login_version: That of the pages and endpoints of the consent, where it is another.
        reports: Where numbers are told, where that is elsewhere.
        reports_version: The version there.
        videos: Where videos are sent and published, where that is elsewhere.
        people: Where people see what is published, where that is not the place of the consent.
        uploads: Domains, beside that of ``api``, whose addresses may be handed out for files.
    """

    consent: str
    issuer: str
    api: str
    version: str
    login_version: str = ""
    reports: str = ""
    reports_version: str = ""
    videos: str = ""
    people: str = ""
    uploads: tuple[str, ...] = ()

    @property
    def seen_at(self) -> str:
        """Where people see what is published."""
        return self.people or self.consent

    def takes_files(self, address: str) -> bool:
        """Whether a file and its token may be sent to an address that the platform handed out."""
        try:
            given, known = urlsplit(address), urlsplit(self.api)
            host, port = given.hostname or "", given.port
        except ValueError:
            return False
        if given.scheme != known.scheme or given.username is not None:
            return False
        is_listed = port is None and any(host == name or host.endswith(f".{name}") for name in self.uploads)
        return is_listed or (host, port) == (known.hostname, known.port)


# Graph API v25.0 is served until 2028-07-29.
_GRAPH: Final = Hosts(
    consent="https://www.facebook.com",
    issuer="https://graph.facebook.com",
    api="https://graph.facebook.com",
    version="v25.0",
    # Meta's guide to publishing videos, and its own libraries, name this host for all their phases.
    videos="https://graph-video.facebook.com",
    uploads=("facebook.com",),
)

HOSTS: Final[Mapping[ConnectionPlatform, Hosts]] = MappingProxyType(
    {
        # LinkedIn keeps a version for a year; 202609 is served until 2027-09-15.
        ConnectionPlatform.LINKEDIN: Hosts(
            consent="https://www.linkedin.com",
            issuer="https://www.linkedin.com",
            api="https://api.linkedin.com",
            version="202609",
            login_version="v2",
            uploads=("linkedin.com", "licdn.com"),
        ),
        ConnectionPlatform.TIKTOK: Hosts(
            consent="https://www.tiktok.com",
            issuer="https://open.tiktokapis.com",
            api="https://open.tiktokapis.com",
            version="v2",
            uploads=("tiktokapis.com",),
        ),
        ConnectionPlatform.PINTEREST: Hosts(
            consent="https://www.pinterest.com",
            issuer="https://api.pinterest.com",
            api="https://api.pinterest.com",
            version="v5",
            uploads=("amazonaws.com", "pinterest.com"),
        ),
        ConnectionPlatform.INSTAGRAM: _GRAPH,
        ConnectionPlatform.FACEBOOK: _GRAPH,
        ConnectionPlatform.YOUTUBE: Hosts(
            consent="https://accounts.google.com",
            issuer="https://oauth2.googleapis.com",
            api="https://www.googleapis.com",
            version="v3",
            login_version="v2",
            reports="https://youtubeanalytics.googleapis.com",
            reports_version="v2",
            people="https://www.youtube.com",
            uploads=("googleapis.com",),
        ),
        ConnectionPlatform.X: Hosts(
            consent="https://x.com", issuer="https://api.x.com", api="https://api.x.com", version="2"
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

INSTAGRAM_LOGIN: Final = Hosts(
    consent="https://www.instagram.com",
    issuer="https://api.instagram.com",
    api="https://graph.instagram.com",
    version="v25.0",
    uploads=("facebook.com", "instagram.com"),
)
"""Instagram, for apps that use Instagram Login and no Pages."""


def practice_hosts(practice_url: str, platform: ConnectionPlatform) -> Hosts:
    """The stand-in of a platform: every host is replaced, every path and the versions stay."""
    return _replaced(HOSTS[platform], f"{practice_url.rstrip('/')}/{platform.value}")


def instagram_login_hosts(practice_url: str | None) -> Hosts:
    """Instagram Login, or its stand-in."""
    if practice_url is None:
        return INSTAGRAM_LOGIN
    base = practice_url.rstrip("/")
    return replace(_replaced(INSTAGRAM_LOGIN, f"{base}/instagram-login"), people=f"{base}/instagram")


def _replaced(hosts: Hosts, base: str) -> Hosts:
    return replace(
        hosts, consent=base, issuer=base, api=base, reports=base, videos=base, people=base, uploads=()
    )


def origins(practice_url: str | None, *, instagram_login: bool = False) -> dict[ConnectionPlatform, set[str]]:
    """The bases of the addresses that this program calls or sends browsers to, by platform."""
    every = {
        platform: HOSTS[platform] if practice_url is None else practice_hosts(practice_url, platform)
        for platform in HOSTS
    }
    if instagram_login:
        every[ConnectionPlatform.INSTAGRAM] = instagram_login_hosts(practice_url)
    return {
        platform: {hosts.consent, hosts.issuer, hosts.api, hosts.reports, hosts.videos} - {""}
        for platform, hosts in every.items()
    }
