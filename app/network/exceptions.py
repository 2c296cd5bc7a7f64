"""Hosts that are reached without the proxy."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, Self

_NAME: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*", re.ASCII)
_BETWEEN: Final = re.compile(r"[\s,;]+")


class BadExceptionError(ValueError):
    """An entry that isn't a host or network. ``entry`` is the original text."""

    def __init__(self, entry: str) -> None:
        super().__init__(f"not a name or an address: {entry}")
        self.entry = entry


@dataclass(frozen=True, slots=True)
class Exceptions:
    """Domain names, including their subdomains, and addresses or networks."""

    names: tuple[str, ...] = ()
    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    @classmethod
    def of(cls, entries: Iterable[str]) -> Self:
        """Parse ``intranet.example``, ``*.example``, ``10.0.0.0/8``. Raises BadExceptionError."""
        names: list[str] = []
        networks: list[IPv4Network | IPv6Network] = []
        for entry in entries:
            try:
                networks.append(ip_network(entry.strip("[]"), strict=False))
            except ValueError:
                names.append(_plain(entry))
        return cls(tuple(names), tuple(networks))

    def hold(self, host: str) -> bool:
        """Whether a host name or address is an exception."""
        host = host.lower().rstrip(".")
        address = _address(host)
        if address is not None:
            return any(address in network for network in self.networks)
        return any(host == name or host.endswith(f".{name}") for name in self.names)


def entries(text: str) -> tuple[str, ...]:
    """Split a user's list at commas, spaces or line breaks."""
    return tuple(entry for entry in _BETWEEN.split(text) if entry)


def is_this_computer(host: str) -> bool:
    """Whether a host can only be this computer, which is never reached through a proxy."""
    host = host.lower().strip("[]").rstrip(".")
    address = _address(host)
    if address is None:
        return host == "localhost" or host.endswith(".localhost")
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def _plain(entry: str) -> str:
    name = entry.lower().removeprefix("*").strip(".")
    if not _NAME.fullmatch(name):
        raise BadExceptionError(entry)
    return name


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None
