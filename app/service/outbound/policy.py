"""What may be called of the addresses that people name."""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from app.service.outbound.addresses import is_home, is_public
from app.service.outbound.errors import PrivateTargetError
from app.service.outbound.targets import Target


@dataclass(frozen=True, slots=True)
class OutboundPolicy:
    """What may be called.

    Attributes:
        allow_private: Private addresses too; every other rule stays.
        home_network: This computer and home networks too; link-local and metadata addresses stay refused.
        extra_ca: A PEM file of authorities that are trusted beside the usual ones.
    """

    allow_private: bool = False
    home_network: bool = False
    extra_ca: Path | None = None

    def check(self, target: Target) -> None:
        """Raises PrivateTargetError for what can be told to be private without resolving it."""
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
        """Raises PrivateAddressError for an IP address that may not be connected to."""
        if not self.admits(address):
            raise PrivateAddressError


class PrivateAddressError(OSError):
    """Kept from connecting. An OSError, so that the layers between hand it on like any failed connection."""
