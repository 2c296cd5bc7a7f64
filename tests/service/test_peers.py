"""Which addresses count as one peer."""

import pytest

from app.service.accounts.sessions import Subject
from app.service.peers import network_of


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::1"),
        ("testclient", "testclient"),
    ],
)
def test_an_ipv4_address_or_an_ipv6_network_is_one_peer(host: str, network: str) -> None:
    assert network_of(host) == network


def test_wrong_passwords_of_one_ipv4_address_lock_out_no_other() -> None:
    """A listener for both kinds gets IPv4 addresses as IPv6 ones, which all are in one network."""
    assert Subject.address("::ffff:203.0.113.7").name == Subject.address("203.0.113.7").name
    assert Subject.address("::ffff:203.0.113.7").name != Subject.address("::ffff:203.0.113.8").name
