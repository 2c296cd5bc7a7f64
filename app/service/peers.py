"""Which addresses count as one peer, for limits by address."""

import ipaddress
from typing import Final

_IPV6_NETWORK_BITS: Final = 64
"""A household usually has a whole /64."""


def network_of(host: str) -> str:
    """Return what counts as one peer: an IPv4 address, or the IPv6 network of one household.

    On a socket for both, IPv4 clients have IPv6 addresses. Anything but an address is returned unchanged.
    """
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    if address.version == 4 or address.is_loopback:
        return str(address)
    return str(ipaddress.ip_network((address, _IPV6_NETWORK_BITS), strict=False))
