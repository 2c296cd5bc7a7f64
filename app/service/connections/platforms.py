"""Adapters and apps for talking to platforms, calls on behalf of an account, and Pinterest's boards."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar
from uuid import UUID

from app.contract.connections import BoardListQuery, PinterestBoard, PinterestBoardPage
from app.contract.enums import ConnectionPlatform, ErrorCode
from app.database import Database
from app.platforms.adapters import Adapter, BoardAdapter
from app.platforms.base import AppCredentials, BoardPage, FailureKind, PlatformError
from app.platforms.card import SignIn
from app.platforms.cards import CARDS
from app.platforms.late import LateAdapters
from app.service.api.responses import ApiError, invalid
from app.service.connections.apps import Apps
from app.service.connections.maker_key import MakerKey
from app.service.connections.rows import find_connection

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Platforms:
    """The adapters, and the apps registered with the platforms. Either can be missing for a platform.

    Attributes:
        apps: Apps that the owner can change; None if only the settings contain apps.
        maker_key: Signs setup packs; None if none can be made.
    """

    adapters: Mapping[ConnectionPlatform, Adapter]
    credentials: Mapping[ConnectionPlatform, AppCredentials]
    apps: Apps | None = None
    maker_key: MakerKey | None = None

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

    def forget(self, *connection_ids: UUID) -> None:
        """Drop cached tokens because the rows may have changed."""


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


class AuthorizationEndedError(Exception):
    """The account must be reauthorized first."""


class Boards:
    """Pages of boards."""

    def __init__(self, database: Database, platforms: Platforms, tokens: Tokens) -> None:
        self._database = database
        self._platforms = platforms
        self._tokens = tokens

    async def page(self, account_id: UUID, connection_id: UUID, query: BoardListQuery) -> PinterestBoardPage:
        """Return a page.

        Raises:
            ApiError: 404 for an unknown connection. 400 if it isn't a Pinterest account, or Pinterest
                rejects the bookmark or denies access to boards. 500 if Pinterest doesn't respond.
            AuthorizationEndedError: The account is, or has just become, unavailable.
        """
        account = await self._database.read(lambda rows: find_connection(rows, account_id, connection_id))
        if account.platform is not ConnectionPlatform.PINTEREST:
            raise invalid("id", "isn't a Pinterest account; only those have boards", "not_pinterest")
        adapter = await self._platforms.adapter(ConnectionPlatform.PINTEREST)
        if not isinstance(adapter, BoardAdapter):
            raise invalid("id", "is on a platform whose boards this version can't list", "unsupported")
        try:
            return _as_page(await self._ask(adapter, connection_id, query))
        except PlatformError as error:
            raise _refusal(error, query.bookmark) from error

    async def _ask(self, adapter: BoardAdapter, connection_id: UUID, query: BoardListQuery) -> BoardPage:
        async def call(token: str) -> BoardPage:
            return await adapter.boards(token, page_size=query.page_size, bookmark=query.bookmark)

        token = await self._tokens.access_token(connection_id)
        return await authorized(self._tokens, connection_id, token, call)


def _as_page(page: BoardPage) -> PinterestBoardPage:
    boards = [PinterestBoard.model_validate(board, from_attributes=True) for board in page.boards]
    return PinterestBoardPage(data=boards, bookmark=page.bookmark)


def _refusal(error: PlatformError, bookmark: str | None) -> Exception:
    match error.kind:
        case FailureKind.AUTH_EXPIRED:
            return AuthorizationEndedError(
                "Pinterest no longer accepts this account's sign-in. Open reauth_url to allow it again."
            )
        case FailureKind.INVALID if bookmark is not None:
            return invalid("bookmark", "isn't known to Pinterest; start again without it", "bookmark")
        case FailureKind.PERMISSION:
            return invalid("id", f"can't list boards: Pinterest says: {error.message}", "permission")
        case FailureKind.RATE_LIMITED | FailureKind.QUOTA:
            words = "Pinterest asked to slow down. Try again in a few minutes."
        case _:
            words = "Pinterest didn't respond properly. Try again in a moment."
    return ApiError(ErrorCode.INTERNAL_ERROR, words)
