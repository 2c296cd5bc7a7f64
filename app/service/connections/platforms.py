"""What is needed to talk to platforms."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.contract.enums import ConnectionPlatform
from app.platforms.base import Adapter, AppCredentials
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
