"""Addresses of the platforms, or of the practice platforms."""

from app.contract.enums import ConnectionPlatform
from app.platforms.card import Hosts
from app.platforms.cards import CARDS
from app.platforms.instagram.card import INSTAGRAM_LOGIN


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
        consent=base, issuer=base, api=base, reports=base, videos=base, people=base, uploads=()
    )


def origins(practice_url: str | None, *, instagram_login: bool = False) -> dict[ConnectionPlatform, set[str]]:
    """Return the base URLs that Kalends calls or opens in browsers, by platform."""
    every = {ConnectionPlatform(key): hosts_of(key, practice_url) for key in CARDS}
    if instagram_login:
        every[ConnectionPlatform.INSTAGRAM] = instagram_login_hosts(practice_url)
    return {
        platform: {hosts.consent, hosts.issuer, hosts.api, hosts.reports, hosts.videos} - {""}
        for platform, hosts in every.items()
    }
