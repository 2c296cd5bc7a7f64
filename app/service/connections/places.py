"""Accounts on companion networks, connected with app passwords."""

from uuid import UUID, uuid4

from sqlalchemy import Connection as Rows

from app.contract.companion import ConnectPlace
from app.contract.connections import Connection
from app.contract.enums import ErrorCode
from app.database import Database
from app.platforms.base import FailureKind, PasswordAdapter, PlatformError, Profile, TokenGrant
from app.platforms.cards import name_of
from app.service.api.errors import ApiError, invalid
from app.service.clock import Clock
from app.service.connections.platforms import Platforms
from app.service.connections.rows import ConnectionWriter, find_connection
from app.service.connections.tokens import TokenKeeper
from app.service.store.reach import Reach
from app.service.store.seal import Seal

_REFUSALS = frozenset({FailureKind.INVALID, FailureKind.PERMISSION, FailureKind.AUTH_EXPIRED})


class Places:
    """Connects accounts. Nothing of a network is there before its first account is connected."""

    def __init__(
        self, database: Database, seal: Seal, platforms: Platforms, tokens: TokenKeeper, clock: Clock
    ) -> None:
        self._database = database
        self._platforms = platforms
        self._tokens = tokens
        self._writer = ConnectionWriter(seal, clock)

    async def connect(self, account_id: UUID, body: ConnectPlace) -> Connection:
        """Sign in and store the account; if it's connected already, its access is renewed.

        Raises ApiError: 400 for a network that isn't connected this way, and if it refuses the handle or app
        password; 500 if it doesn't respond.
        """
        adapter = await self._platforms.adapter(body.platform)
        if not isinstance(adapter, PasswordAdapter):
            raise invalid("platform", "isn't connected with an app password", "unsupported")
        try:
            grant = await adapter.sign_in(body.handle, body.app_password)
            [profile] = await adapter.profiles(grant.access_token)
        except PlatformError as error:
            if error.kind in _REFUSALS:
                raise invalid("app_password", f"was refused. {error.message}", "refused") from None
            message = f"{name_of(body.platform)} can't be reached at the moment. Try again later."
            raise ApiError(ErrorCode.INTERNAL_ERROR, message) from None
        return await self._store(account_id, body, profile, grant)

    async def _store(
        self, account_id: UUID, body: ConnectPlace, profile: Profile, grant: TokenGrant
    ) -> Connection:
        def work(rows: Rows) -> Connection:
            stored = self._writer.store(rows, account_id, body.platform, uuid4(), profile, grant)
            return find_connection(rows, account_id, stored, Reach.COMPANION)

        connected = await self._database.write(work)
        self._tokens.forget(connected.id)
        return connected
