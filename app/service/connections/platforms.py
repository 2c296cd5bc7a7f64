"""What is needed to talk to platforms."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.contract.enums import ConnectionPlatform
from app.platforms.base import Adapter, AppCredentials


@dataclass(frozen=True, slots=True)
class Platforms:
    """The adapters, and the apps that are registered with the platforms; either may be missing for one."""

    adapters: Mapping[ConnectionPlatform, Adapter]
    credentials: Mapping[ConnectionPlatform, AppCredentials]
