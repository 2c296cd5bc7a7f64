"""What TikTok lets an account choose, asked of TikTok and kept for a short while."""

import asyncio
import time
from collections import OrderedDict
from typing import Final
from uuid import UUID

from app.contract.enums import ConnectionPlatform, ErrorCode
from app.contract.tiktok import TikTokCreator
from app.database import Database
from app.platforms.base import CreatorAdapter, FailureKind, PlatformError
from app.service.api.errors import ApiError, invalid
from app.service.connections.boards import AuthorizationEndedError
from app.service.connections.platforms import Platforms, Tokens, authorized
from app.service.tiktok.choosing import require_tiktok

_FRESH_S: Final = 60.0
"""How long an answer is used again: TikTok takes 20 questions a minute for an account."""
_ANSWERS_MAX: Final = 500
_PATIENCE_S: Final = 30.0
_ENDED: Final = "TikTok no longer accepts the sign-in of this account. Open reauth_url to allow it again."
_SILENT: Final = "TikTok isn't answering as it should. Try again in a moment."


class Creators:
    """Answers of TikTok by account."""

    def __init__(self, database: Database, platforms: Platforms, tokens: Tokens) -> None:
        self._database = database
        self._platforms = platforms
        self._tokens = tokens
        self._answers: OrderedDict[UUID, tuple[float, TikTokCreator]] = OrderedDict()
        self._asking: dict[UUID, asyncio.Task[TikTokCreator]] = {}

    async def creator(self, account_id: UUID, connection_id: UUID) -> TikTokCreator:
        """What an account may choose now; several callers share one question to TikTok.

        Raises:
            ApiError: 404 when there is no such connection; 400 when it isn't on TikTok, or TikTok doesn't let
                the account post; 500 when TikTok doesn't answer.
            AuthorizationEndedError: The account is, or has just become, unavailable.
        """
        await self._database.read(lambda rows: require_tiktok(rows, account_id, connection_id))
        known = self._answers.get(connection_id)
        if known is not None and time.monotonic() - known[0] < _FRESH_S:
            return known[1]
        try:
            return await self._ask_once(connection_id)
        except PlatformError as error:
            raise _refusal(error) from error

    async def _ask_once(self, connection_id: UUID) -> TikTokCreator:
        asking = self._asking.get(connection_id)
        if asking is None:
            asking = asyncio.create_task(self._ask(connection_id))
            self._asking[connection_id] = asking
            asking.add_done_callback(lambda _done: self._asking.pop(connection_id, None))
        return await asyncio.shield(asking)  # one caller that goes away takes nothing from the others

    async def _ask(self, connection_id: UUID) -> TikTokCreator:
        adapter = await self._platforms.adapter(ConnectionPlatform.TIKTOK)
        if not isinstance(adapter, CreatorAdapter):
            raise PlatformError(FailureKind.TRANSIENT, "unsupported", _SILENT)
        try:
            async with asyncio.timeout(_PATIENCE_S):
                token = await self._tokens.access_token(connection_id)
                found = await authorized(self._tokens, connection_id, token, adapter.creator)
        except TimeoutError:
            raise PlatformError(FailureKind.TRANSIENT, "timeout", _SILENT) from None
        self._answers[connection_id] = time.monotonic(), found
        self._answers.move_to_end(connection_id)
        while len(self._answers) > _ANSWERS_MAX:
            self._answers.popitem(last=False)
        return found


def _refusal(error: PlatformError) -> Exception:
    match error.kind:
        case FailureKind.AUTH_EXPIRED:
            return AuthorizationEndedError(_ENDED)
        case FailureKind.PERMISSION | FailureKind.INVALID:
            return invalid("id", f"can't post now: TikTok says: {error.message}", "permission")
        case FailureKind.QUOTA:
            words = "This account has used up what TikTok allows for now. Try again later."
        case FailureKind.RATE_LIMITED:
            words = "TikTok asks to slow down. Try again in a minute."
        case _:
            words = _SILENT
    return ApiError(ErrorCode.INTERNAL_ERROR, words)
