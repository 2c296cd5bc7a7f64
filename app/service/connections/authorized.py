"""Calls to a platform in an account's name."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar
from uuid import UUID

from app.platforms.base import FailureKind, PlatformError

T = TypeVar("T")


class Tokens(Protocol):
    """Where access tokens come from."""

    async def access_token(self, connection_id: UUID) -> str:
        """A token that should work; raises PlatformError."""

    async def refused(self, connection_id: UUID, token: str) -> str:
        """A new token, since the platform refused this one; raises PlatformError."""

    async def ended(self, connection_id: UUID, token: str) -> None:
        """Not even this token is taken, which was got a moment ago.

        Raises PlatformError (TRANSIENT) unless the account is known to need a new consent.
        """


async def authorized(
    tokens: Tokens, connection_id: UUID, token: str, call: Callable[[str], Awaitable[T]]
) -> T:
    """Calls a platform; once more with a new token when it refuses the first one. Raises PlatformError."""
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
