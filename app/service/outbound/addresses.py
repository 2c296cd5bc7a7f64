"""Which addresses are public: default deny, including every way to embed IPv4 in IPv6.

Doesn't use ``ipaddress.is_global``, which accepts 6to4, NAT64, IPv4-compatible and multicast addresses, and
differs between Python releases. Source: the IANA special-purpose address registries.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

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
