"""Exchanging the code from the browser for accounts."""

from typing import Any

from sqlalchemy import Row

from app.contract.enums import ConnectionPlatform
from app.platforms.base import Adapter, AppCredentials
from app.service.api.errors import invalid
from app.service.connections.offers import Offer, offers_of
from app.service.connections.platforms import Platforms
from app.service.store.seal import Seal


class Exchange:
    """Requests consent from platforms and exchanges its code."""

    def __init__(self, platforms: Platforms, seal: Seal) -> None:
        self._platforms = platforms
        self._seal = seal

    async def ready(self, platform: ConnectionPlatform) -> tuple[Adapter, AppCredentials]:
        """Return adapter and credentials. Raises ApiError (400) if the platform isn't set up."""
        adapter = await self._platforms.adapter(platform)
        if adapter is None:
            raise invalid("platform", f"cannot be connected by this version: {platform.value}", "unsupported")
        credentials = self._platforms.credentials.get(platform)
        if credentials is None:
            raise invalid(
                "platform",
                f"is not set up: enter its app under Connections in Kalends, or under"
                f" [platforms.{platform.value}] in service.toml in the data folder",
                "not_set_up",
            )
        return adapter, credentials

    async def accounts(self, flow: Row[Any], code: str) -> list[Offer]:
        """Return the accounts covered by the consent. Raises PlatformError."""
        adapter, credentials = await self.ready(ConnectionPlatform(flow.platform))
        grant = await adapter.exchange_code(
            credentials,
            redirect_uri=flow.callback_url,
            code=code,
            code_verifier=self._seal.open(flow.code_verifier, flow.connection_id),
        )
        return offers_of(await adapter.profiles(grant.access_token), grant)
