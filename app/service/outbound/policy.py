"""Which user-provided URLs and addresses may be called, what a request returns, and why it failed."""

import re
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from pathlib import Path
from typing import Final, Self
from urllib.parse import SplitResult, urlsplit, urlunsplit

import idna

from app.network import PrivateAddressError


class OutboundError(Exception):
    """The request failed. The message is a short sentence for the user."""


class AddressRefusedError(OutboundError):
    """The address may not be called. Nothing was connected to."""


class PrivateTargetError(AddressRefusedError):
    """The address is private or reserved."""

    def __init__(self) -> None:
        super().__init__("The address is private or reserved. Only public addresses are allowed.")


class OutboundTimeoutError(OutboundError):
    """No complete response in time. The request may have arrived."""


class OutboundFailedError(OutboundError):
    """No connection, a broken one, or an unacceptable response. The request may have arrived."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Response to a POST. Its body isn't used."""

    status: int


@dataclass(frozen=True, slots=True)
class Download:
    """Response to a GET.

    Attributes:
        status: Status from the last server, whatever it is.
        content_type: Lowercase, without parameters; empty if the server doesn't send it.
        length: Announced length in bytes; None if unknown.
        chunks: The body, which can be read once. Raises OutboundFailedError if it breaks off or is too long.
        url: The final URL.
    """

    status: int
    content_type: str
    length: int | None
    chunks: AsyncIterator[bytes] = field(repr=False)
    url: str = field(repr=False)


_SPECIAL_IPV4: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, includes cloud metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
_UNICAST_IPV6: Final = IPv6Network("2000::/3")
"""All allocated unicast addresses; everything else is private, local, multicast or reserved."""
_SPECIAL_IPV6: Final = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments, including Teredo and ORCHID
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, deprecated
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)
_HOME_IPV4: Final = tuple(map(IPv4Network, ("10.0.0.0/8", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")))
_HOME_IPV6: Final = tuple(map(IPv6Network, ("::1/128", "fc00::/7")))
_METADATA_IPV6: Final = frozenset(map(IPv6Address, ("fd00:ec2::254", "fd20:ce::254")))
"""Metadata addresses of Amazon's and Google's clouds, which hold credentials, in the private range."""
_IPV4_MAPPED: Final = IPv6Network("::ffff:0:0/96")
_NAT64: Final = IPv6Network("64:ff9b::/96")
"""Prefix for IPv4 addresses in networks without IPv4."""
_ISATAP: Final = frozenset({0x0000_5EFE, 0x0200_5EFE})
_LOW_32: Final = 0xFFFF_FFFF

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


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is an ordinary unicast address on the internet."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _SPECIAL_IPV4)
    if address.scope_id is not None:
        return False
    if address in _IPV4_MAPPED or address in _NAT64:
        return is_public(_low_ipv4(address))
    if address not in _UNICAST_IPV6 or any(address in network for network in _SPECIAL_IPV6):
        return False
    return not _is_isatap(address) or is_public(_low_ipv4(address))


def is_home(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is this computer or in a home network, and not a cloud's metadata."""
    if isinstance(address, IPv4Address):
        return any(address in network for network in _HOME_IPV4)
    if address.scope_id is not None or address in _METADATA_IPV6:
        return False
    if address in _IPV4_MAPPED:
        return is_home(_low_ipv4(address))
    return any(address in network for network in _HOME_IPV6)


def _is_isatap(address: IPv6Address) -> bool:
    return int(address) >> 32 & _LOW_32 in _ISATAP


def _low_ipv4(address: IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & _LOW_32)


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


@dataclass(frozen=True, slots=True)
class OutboundPolicy:
    """Which addresses may be called.

    Attributes:
        allow_private: Also private addresses; every other rule stays.
        home_network: Also this computer and home networks; link-local and metadata addresses stay blocked.
        extra_ca: A PEM file of authorities to trust in addition to the default ones.
    """

    allow_private: bool = False
    home_network: bool = False
    extra_ca: Path | None = None

    def check(self, target: Target) -> None:
        """Raise PrivateTargetError if the target is private even without resolving it."""
        if self.allow_private:
            return
        address = target.address
        is_local = target.is_local_name and not self.home_network
        if is_local or (address is not None and not self._admits(address)):
            raise PrivateTargetError

    def admits(self, address: str) -> bool:
        """Whether an IP address may be connected to."""
        return self._admits(ip_address(address))

    def _admits(self, address: IPv4Address | IPv6Address) -> bool:
        return self.allow_private or is_public(address) or (self.home_network and is_home(address))

    def require(self, address: str) -> None:
        """Raise PrivateAddressError if an IP address may not be connected to."""
        if not self.admits(address):
            raise PrivateAddressError
