"""Adapters and apps for talking to platforms."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.contract.enums import ConnectionPlatform
from app.platforms.base import Adapter, AppCredentials
from app.platforms.late import LateAdapters
from app.service.connections.apps import Apps


@dataclass(frozen=True, slots=True)
class Platforms:
    """The adapters, and the apps registered with the platforms. Either can be missing for a platform.

    Attributes:
        apps: Apps that the owner can change; None if only the settings contain apps.
    """

    adapters: Mapping[ConnectionPlatform, Adapter]
    credentials: Mapping[ConnectionPlatform, AppCredentials]
    apps: Apps | None = None

    async def adapter(self, platform: ConnectionPlatform) -> Adapter | None:
        """Return the adapter of a platform; None if there is none.

        Right after startup, this waits for the adapters to be imported, without blocking the event loop.
        """
        if isinstance(self.adapters, LateAdapters):
            await self.adapters.wait()
        return self.adapters.get(platform)
