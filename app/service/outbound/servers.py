"""The guard for adapters of networks whose servers are named by users."""

from typing import TYPE_CHECKING

from app.network import Way
from app.service.outbound.policy import HTTP_AND_HTTPS, AddressRefusedError, OutboundPolicy, Target

if TYPE_CHECKING:
    from app.network.connector import ProxiedConnector


class ServerGuard:
    """Lets adapters call public addresses only, like webhooks and imports."""

    def __init__(self, policy: OutboundPolicy) -> None:
        self._policy = policy

    def check(self, url: str) -> None:
        """Raise ValueError, with a sentence for users, for a URL that may not be called."""
        try:
            self._policy.check(Target.parse(url, HTTP_AND_HTTPS))
        except AddressRefusedError as error:
            raise ValueError(str(error)) from None

    def connector(self, way: Way, limit: int) -> "ProxiedConnector":
        """Return connections that check every address, at most ``limit`` simultaneously."""
        from app.service.outbound.guard import guarded_connector, trust_of  # aiohttp is imported late

        return guarded_connector(self._policy, way, trust_of(self._policy.extra_ca), limit=limit)
