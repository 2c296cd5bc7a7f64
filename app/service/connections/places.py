"""Accounts on companion networks, connected with app passwords."""

from typing import Final
from uuid import UUID, uuid4

import structlog
from sqlalchemy import Connection as Rows
from sqlalchemy import select

from app.contract.companion import ConnectPlace
from app.contract.connections import Connection
from app.contract.enums import ErrorCode
from app.contract.limits import ACCOUNT_IDENTIFIER_MAX
from app.database import Database
from app.platforms.adapters import PasswordAdapter, SignInFault, SignOutAdapter
from app.platforms.base import FailureKind, PlatformError, Profile, TokenGrant
from app.platforms.by_hand import BY_HAND_KEYS
from app.platforms.cards import name_of
from app.service.accounts.accounts import Caller
from app.service.accounts.callers import write_for
from app.service.api.responses import ApiError, RateLimitedError, invalid
from app.service.clock import Clock
from app.service.connections.platforms import Platforms
from app.service.connections.rows import ConnectionWriter, erase_access, find_connection
from app.service.connections.tokens import TokenKeeper
from app.service.store.reach import Reach
from app.service.store.seal import Seal, SealBrokenError
from app.service.store.tables import connections

_log = structlog.get_logger(__name__)
_WAIT_S: Final = 300.0
_REFUSALS: Final = frozenset({FailureKind.INVALID, FailureKind.PERMISSION, FailureKind.AUTH_EXPIRED})


class Places:
    """Connects and disconnects accounts. A network doesn't appear before its first account is connected."""

    def __init__(
        self, database: Database, seal: Seal, platforms: Platforms, tokens: TokenKeeper, clock: Clock
    ) -> None:
        self._database = database
        self._seal = seal
        self._platforms = platforms
        self._tokens = tokens
        self._clock = clock
        self._writer = ConnectionWriter(seal, clock)

    async def connect(self, caller: Caller, body: ConnectPlace) -> Connection:
        """Sign in and store the account; if it's connected already, its access is renewed.

        An account that is published to by hand is only stored. Raises ApiError: 400 for a network that isn't
        connected this way, and if it refuses the handle or app password; 500 if it doesn't respond.
        """
        if body.platform in BY_HAND_KEYS:
            if body.app_password:
                raise invalid("app_password", "isn't used for accounts that you publish to by hand", "unused")
            return await self._store(caller, body, _named(body.handle), _NO_ACCESS)
        adapter = await self._platforms.adapter(body.platform)
        if not isinstance(adapter, PasswordAdapter):
            raise invalid("platform", "isn't connected with an app password", "unsupported")
        try:
            grant = await adapter.sign_in(body.handle, body.app_password)
            [profile] = await adapter.profiles(grant.access_token)
        except PlatformError as error:
            raise _refusal(error, name_of(body.platform)) from None
        return await self._store(caller, body, profile, grant)

    async def disconnect(self, caller: Caller, connection_id: UUID) -> Connection:
        """Sign out of the account and erase its tokens. Return it as it is now.

        Its scheduled posts stay, and fail when they're due unless the account is connected again. If the
        network can't be reached, the session there stays until it expires. Raises ApiError (404).
        """
        account_id = caller.account_id
        place = await self._database.read(
            lambda rows: find_connection(rows, account_id, connection_id, Reach.COMPANION)
        )
        await self._sign_out(place)

        def work(rows: Rows) -> None:
            find_connection(rows, account_id, connection_id, Reach.COMPANION)
            erase_access(rows, connection_id)

        await write_for(self._database, caller, self._clock(), work)
        self._tokens.forget(connection_id)
        return place.model_copy(update={"is_available": False, "token_expires_at": None})

    async def _sign_out(self, place: Connection) -> None:
        adapter = await self._platforms.adapter(place.platform)
        if not isinstance(adapter, SignOutAdapter) or not place.is_available:
            return
        stored = select(connections.c.access_token, connections.c.refresh_token)
        row = await self._database.read(
            lambda rows: rows.execute(stored.where(connections.c.id == place.id)).one_or_none()
        )
        if row is None:
            return
        try:
            access, refresh = (
                None if sealed is None else self._seal.open(sealed, place.id)
                for sealed in (row.access_token, row.refresh_token)
            )
            await adapter.sign_out(TokenGrant(access or "", refresh, place.token_expires_at))
        except (PlatformError, SealBrokenError) as error:
            _log.info("the account's session could not be ended", place_id=str(place.id), reason=str(error))

    async def _store(
        self, caller: Caller, body: ConnectPlace, profile: Profile, grant: TokenGrant
    ) -> Connection:
        account_id = caller.account_id

        def work(rows: Rows) -> Connection:
            stored = self._writer.store(rows, account_id, body.platform, uuid4(), profile, grant)
            return find_connection(rows, account_id, stored, Reach.COMPANION)

        connected = await write_for(self._database, caller, self._clock(), work)
        self._tokens.forget(connected.id)
        return connected


_NO_ACCESS: Final = TokenGrant("", None, None)


def _named(handle: str) -> Profile:
    """Return the profile of an account of which only the handle is known."""
    handle = handle.strip().removeprefix("@")
    if not handle:
        raise invalid("handle", "must name the account", "missing")
    identifier = handle.casefold()
    if len(identifier) > ACCOUNT_IDENTIFIER_MAX:
        raise invalid("handle", f"must have at most {ACCOUNT_IDENTIFIER_MAX} characters", "too_long")
    return Profile(account_identifier=identifier, display_name=handle, username=handle)


def _refusal(error: PlatformError, name: str) -> ApiError:
    if error.kind in _REFUSALS:
        field = "handle" if error.code == SignInFault.HANDLE else "app_password"
        kind = error.code if error.code in set(SignInFault) else "refused"
        return invalid(field, f"was refused. {error.message}", kind)
    if error.kind is FailureKind.RATE_LIMITED:
        message = f"{name} allows only a few sign-ins. Try again later."
        return RateLimitedError(message, retry_after=error.retry_after or _WAIT_S)
    return ApiError(ErrorCode.INTERNAL_ERROR, f"{name} can't be reached at the moment. Try again later.")
