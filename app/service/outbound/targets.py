"""Strict parsing of user-provided URLs: a single valid spelling of a host.

Libraries and systems interpret ``0x7f.1``, ``2130706433`` or ``127.0.0.1%00`` differently. Anything but a
plain name or a plain address is rejected.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final, Self
from urllib.parse import SplitResult, urlsplit, urlunsplit

import idna

from app.service.outbound.errors import AddressRefusedError

HTTPS: Final = frozenset({"https"})
HTTP_AND_HTTPS: Final = frozenset({"http", "https"})

_LONGEST: Final = 8_192
_NAME: Final = re.compile(
    r"(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.ASCII
)
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_LOCAL_ENDINGS: Final = frozenset({"localhost", "localdomain", "local", "internal", "home.arpa"})

_NO_URL: Final = "That isn't a valid address. It should look like https://example.com/path."
_NO_USER: Final = "The address must not contain a username or password."
_NO_HOST: Final = "The host must be a plain name such as example.com, or a plain IP address."


@dataclass(frozen=True, slots=True)
class Target:
    """Destination of a request. ``url`` has no fragment; ``host`` is lowercase, without brackets."""

    url: str
    scheme: str
    host: str

    @classmethod
    def parse(cls, url: str, schemes: Collection[str]) -> Self:
        """Parse a URL. Raises AddressRefusedError unless it's a plain URL of one of the ``schemes``."""
        parts, port = _split(url)
        if parts.scheme not in schemes:
            raise AddressRefusedError(f"The address must start with {' or '.join(sorted(schemes))}://.")
        if "@" in parts.netloc:
            raise AddressRefusedError(_NO_USER)
        host = _plain_host(parts)
        netloc = f"[{host}]" if ":" in host else host
        if port is not None:
            netloc += f":{port}"
        return cls(urlunsplit((parts.scheme, netloc, parts.path, parts.query, "")), parts.scheme, host)

    @property
    def address(self) -> IPv4Address | IPv6Address | None:
        """The host if it's an address; None if it's a name."""
        try:
            return ip_address(self.host)
        except ValueError:
            return None

    @property
    def is_local_name(self) -> bool:
        """Whether the name can only refer to this machine or its network."""
        return self.address is None and (
            "." not in self.host or any(f".{self.host}".endswith(f".{ending}") for ending in _LOCAL_ENDINGS)
        )


def _split(url: str) -> tuple[SplitResult, int | None]:
    if len(url) > _LONGEST or not url.isprintable() or " " in url or "\\" in url:
        raise AddressRefusedError(_NO_URL)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise AddressRefusedError(_NO_URL) from None
    if not parts.hostname or port == 0:
        raise AddressRefusedError(_NO_URL)
    return parts, port


def _plain_host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    try:
        plain = str(IPv6Address(host)) if "[" in parts.netloc else _plain_name(host)
    except ValueError:  # includes UnicodeError from idna
        raise AddressRefusedError(_NO_HOST) from None
    if "%" in plain:  # IPv6 zone ID
        raise AddressRefusedError(_NO_HOST)
    return plain


def _plain_name(host: str) -> str:
    """Return the name in lowercase ASCII, or an IPv4 address. Raises ValueError for anything else."""
    name = host if host.isascii() else idna.encode(host, uts46=True).decode()
    name = name.lower().removesuffix(".")
    if not _NAME.fullmatch(name):
        raise ValueError("no name")
    if _NUMBER.fullmatch(name.rpartition(".")[2]):
        return str(IPv4Address(name))
    return name
