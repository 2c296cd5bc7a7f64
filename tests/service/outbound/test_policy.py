"""Which addresses are public, against the standard library's own knowledge of them."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.service.outbound.policy import is_public

_PRIVATE_IPV4 = (
    "127.0.0.1",
    "10.1.2.3",
    "169.254.169.254",
    "192.168.0.1",
    "172.31.255.255",
    "0.0.0.0",  # noqa: S104  not bound to
    "100.64.0.1",
)


def _nested(address: IPv6Address) -> list[IPv4Address]:
    """Every IPv4 address that the standard library, or the text of an RFC, finds inside."""
    low = IPv4Address(int(address) & 0xFFFF_FFFF)
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in ip_network("64:ff9b::/96") or address in ip_network("::/96"):
        found.append(low)
    if ":5efe:" in ":".join(address.exploded.split(":")[4:6]) + ":":
        found.append(low)
    return [nested for nested in found if nested is not None]


def _holding(ipv4: IPv4Address) -> list[IPv6Address]:
    """Every way to write an IPv4 address as an IPv6 one."""
    number = int(ipv4)
    a, b = number >> 16, number & 0xFFFF
    inverted = number ^ 0xFFFF_FFFF
    return [
        IPv6Address(f"::ffff:{ipv4}"),
        IPv6Address(f"::{ipv4}"),
        IPv6Address(f"64:ff9b::{ipv4}"),
        IPv6Address(f"64:ff9b:1::{ipv4}"),
        IPv6Address(f"2002:{a:x}:{b:x}::1"),
        IPv6Address(f"2001:0:808:808:0:0:{inverted >> 16:x}:{inverted & 0xFFFF:x}"),
        IPv6Address(f"2001:0:{a:x}:{b:x}::1"),
        IPv6Address(f"2a00:1450:4001:80b:0:5efe:{a:x}:{b:x}"),
        IPv6Address(f"2a00:1450:4001:80b:200:5efe:{a:x}:{b:x}"),
        IPv6Address(f"fe80::5efe:{a:x}:{b:x}"),
        IPv6Address(f"::ffff:0:{ipv4}"),
    ]


ipv4 = st.one_of(st.integers(0, 2**32 - 1), st.sampled_from(_PRIVATE_IPV4)).map(IPv4Address)
ipv6 = st.one_of(st.ip_addresses(v=6), ipv4.flatmap(lambda inner: st.sampled_from(_holding(inner))))


@given(ipv4)
def test_a_public_ipv4_address_is_global_unicast(address: IPv4Address) -> None:
    if is_public(address):
        assert address.is_global
        assert not any((address.is_multicast, address.is_reserved, address.is_private))


@given(ipv6)
def test_a_public_ipv6_address_is_global_unicast_and_so_is_every_address_inside(address: IPv6Address) -> None:
    if not is_public(address):
        return
    nested = _nested(address)
    assert all(inner.is_global and not inner.is_multicast for inner in nested)
    assert nested or (address.is_global and not address.is_multicast)


@given(ipv4)
def test_no_ipv6_form_of_a_private_ipv4_address_is_public(address: IPv4Address) -> None:
    if not is_public(address):
        assert [form for form in _holding(address) if is_public(form)] == []


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "93.184.216.34",
        "2606:4700::6810:85e5",
        "2a00:1450:4001:80b::200e",
        "64:ff9b::808:808",
        "::ffff:8.8.8.8",
    ],
)
def test_the_open_internet_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        *_PRIVATE_IPV4,
        "255.255.255.255",
        "224.0.0.1",
        "192.88.99.1",
        "198.18.0.1",
        "::",
        "::1",
        "fe80::1%eth0",
        "2606:4700::6810:85e5%eth0",
        "fc00::1",
        "fec0::1",
        "ff0e::1",
        "2001:db8::1",
        "2002:808:808::1",
        "2001:0:808:808::1",
        "64:ff9b:1::808:808",
        "5f00::1",
        "4000::1",
    ],
)
def test_everything_else_is_not(address: str) -> None:
    assert not is_public(ip_address(address))
