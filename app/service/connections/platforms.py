"""What is needed to talk to platforms."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.platforms.base import Adapter, AppCredentials, PullingAdapter


@dataclass(frozen=True, slots=True)
class Platforms:
    """The adapters, and the apps that are registered with the platforms; either may be missing for one."""

    adapters: Mapping[ConnectionPlatform, Adapter]
    credentials: Mapping[ConnectionPlatform, AppCredentials]

    def pulled(self) -> dict[PostingPlatform, frozenset[PostType]]:
        """The kinds of posts whose file a platform fetches itself."""
        return {
            PostingPlatform(platform.value): adapter.pulled
            for platform, adapter in self.adapters.items()
            if isinstance(adapter, PullingAdapter)
        }
