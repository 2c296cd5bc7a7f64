"""Pinterest boards, requested every time because Pinterest's terms don't allow caching them."""

from uuid import UUID

from app.contract.connections import BoardListQuery, PinterestBoard, PinterestBoardPage
from app.contract.enums import ConnectionPlatform, ErrorCode
from app.database import Database
from app.platforms.base import BoardAdapter, BoardPage, FailureKind, PlatformError
from app.service.api.responses import ApiError, invalid
from app.service.connections.platforms import Platforms, Tokens, authorized
from app.service.connections.rows import find_connection


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
