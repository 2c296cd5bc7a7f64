"""Which user-provided addresses may be called."""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from app.service.outbound.addresses import is_home, is_public
from app.service.outbound.errors import PrivateTargetError
from app.service.outbound.targets import Target


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


class PrivateAddressError(OSError):
    """A blocked connection. An OSError, so that layers in between treat it as a failed connection."""
