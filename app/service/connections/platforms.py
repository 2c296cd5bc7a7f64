"""What is needed to talk to platforms."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.contract.enums import ConnectionPlatform
from app.platforms.base import Adapter, AppCredentials
from app.platforms.late import LateAdapters
from app.service.connections.apps import Apps


@dataclass(frozen=True, slots=True)
class Platforms:
    """The adapters, and the apps that are registered with the platforms; either may be missing for one.

    Attributes:
        apps: Where the owner can change the apps; None where only the settings tell of them.
    """

    adapters: Mapping[ConnectionPlatform, Adapter]
    credentials: Mapping[ConnectionPlatform, AppCredentials]
    apps: Apps | None = None

    async def adapter(self, platform: ConnectionPlatform) -> Adapter | None:
        """Return the adapter of a platform, None where there is none.

        Right after the start this waits until adapters are imported, without holding up the event loop.
        """
        if isinstance(self.adapters, LateAdapters):
            await self.adapters.wait()
        return self.adapters.get(platform)
