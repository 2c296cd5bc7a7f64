"""Adapters and apps for talking to platforms, and calls on behalf of an account."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar
from uuid import UUID

from app.contract.enums import ConnectionPlatform
from app.platforms.base import Adapter, AppCredentials, FailureKind, PlatformError
from app.platforms.card import SignIn
from app.platforms.cards import CARDS
from app.platforms.late import LateAdapters
from app.service.connections.apps import Apps

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Platforms:
    """The adapters, and the apps registered with the platforms. Either can be missing for a platform.

    Attributes:
        apps: Apps that the owner can change; None if only the settings contain apps.
    """

    adapters: Mapping[ConnectionPlatform, Adapter]
    credentials: Mapping[ConnectionPlatform, AppCredentials]
    apps: Apps | None = None

    def app_of(self, platform: ConnectionPlatform) -> AppCredentials | None:
        """Return the app registered with a platform. None: not set up.

        Returns an empty one where none is needed, or each server has its own.
        """
        card = CARDS.get(platform)
        if card is not None and card.sign_in is not SignIn.CONSENT:
            return AppCredentials("")
        return self.credentials.get(platform)

    async def adapter(self, platform: ConnectionPlatform) -> Adapter | None:
        """Return the adapter of a platform, or None.

        Right after startup, this waits for the adapters to be imported, without blocking the event loop.
        """
        if isinstance(self.adapters, LateAdapters):
            await self.adapters.wait()
        return self.adapters.get(platform)


class Tokens(Protocol):
    """Provides access tokens."""

    async def access_token(self, connection_id: UUID) -> str:
        """Return a token that should work. Raises PlatformError."""

    async def refused(self, connection_id: UUID, token: str) -> str:
        """Return a new token after the platform refused this one. Raises PlatformError."""

    async def ended(self, connection_id: UUID, token: str) -> None:
        """Handle the refusal of a token that was just renewed.

        Raises PlatformError (TRANSIENT) unless the account is known to need a new consent.
        """


async def authorized(
    tokens: Tokens, connection_id: UUID, token: str, call: Callable[[str], Awaitable[T]]
) -> T:
    """Call a platform, and again with a new token if it refuses the first. Raises PlatformError."""
    try:
        return await call(token)
    except PlatformError as error:
        if error.kind is not FailureKind.AUTH_EXPIRED:
            raise
    renewed = await tokens.refused(connection_id, token)
    try:
        return await call(renewed)
    except PlatformError as error:
        if error.kind is FailureKind.AUTH_EXPIRED:
            await tokens.ended(connection_id, renewed)
        raise
