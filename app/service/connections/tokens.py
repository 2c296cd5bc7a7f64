"""Access tokens: decrypted on demand, renewed in time, and never lost.

A refresh token may work only once (X, possibly TikTok), and using it twice ends the access. Therefore only
one process at a time renews an account, with a lease in its row (``renewal_claims.py``). New tokens are
stored before use, and storing is retried until it succeeds. The sole process of a data folder clears all
leases at startup.

An account only ends if two things agree. If the platform refuses the refresh token, or the access token has
expired, one more call checks whether the access token is really dead. If only calls are refused, the account
is in doubt: its profile is requested repeatedly, and the account ends if that is still refused after a few
minutes, with renewed tokens too.

One case can't be avoided: a process dies, or the network fails, after the platform has replaced the refresh
token and before the response is stored. The old token is tried again, which works on platforms that accept it
for a while. If it's refused, the access token is used until it expires. Then the account must be
reauthorized.
"""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, NoReturn
from uuid import UUID

import structlog
from sqlalchemy import ColumnElement, Row, bindparam, select, update

from app.contract.enums import ConnectionPlatform
from app.database import Database
from app.platforms.base import Cause, FailureKind, PlatformError, TokenGrant
from app.service.clock import Clock
from app.service.connections.platforms import Platforms
from app.service.connections.renewal_claims import ForeignClaim, RenewalClaim
from app.service.connections.rows import mark_unavailable, token_columns, unchanged
from app.service.monitoring.meter import Meter
from app.service.monitoring.traces import span
from app.service.store.seal import Seal, SealBrokenError
from app.service.store.tables import connections
from app.service.worker import until_written

_log = structlog.get_logger(__name__)

REFRESH_BEFORE: Final = timedelta(minutes=5)
"""Remaining lifetime below which a token is renewed before use."""
_RENEW_AGAIN: Final = timedelta(minutes=10)
"""Delay after a refused renewal while the access token still works."""
_UNANSWERED: Final = frozenset({FailureKind.TRANSIENT, FailureKind.RATE_LIMITED, FailureKind.AMBIGUOUS})
"""Failures that say nothing about the token. All others except AUTH_EXPIRED mean that it was accepted."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Time limits of renewals.

    Attributes:
        claim: How long a lease is valid without extension.
        spare: How long a caller with a valid token waits for a new one.
        look_again: Interval for checking whether another process is done.
        refused: How long a platform must refuse an account's calls before the account ends.
    """

    claim: timedelta = timedelta(seconds=30)
    spare: timedelta = timedelta(seconds=5)
    look_again: timedelta = timedelta(milliseconds=200)
    refused: timedelta = timedelta(minutes=5)

    def __post_init__(self) -> None:
        if self.look_again >= self.claim / 10:
            raise ValueError("look_again must be shorter than a tenth of claim")

    @property
    def ask_again(self) -> timedelta:
        """Interval for calling the platform meanwhile."""
        return self.refused / 15


@dataclass(frozen=True, slots=True)
class _Held:
    token: str = field(repr=False)
    expires_at: datetime | None

    def is_good(self, at: datetime) -> bool:
        return self.expires_at is None or at < self.expires_at


_ONE: Final = select(connections).where(connections.c.id == bindparam("id"))


class TokenKeeper:
    """The tokens of all connections.

    A connection has one renewal at a time, across all processes, and all callers wait for it, because a
    refresh token may work only once.
    """

    def __init__(
        self,
        database: Database,
        seal: Seal,
        platforms: Platforms,
        clock: Clock,
        patience: Patience = Patience(),
        meter: Meter | None = None,
    ) -> None:
        self._patience = patience
        self._meter = meter or Meter()
        self._database = database
        self._seal = seal
        self._platforms = platforms
        self._clock = clock
        self._held: dict[UUID, _Held] = {}
        self._refreshing: dict[UUID, asyncio.Task[str]] = {}
        self._confirm_at: dict[UUID, float] = {}
        """When the platform may next be asked about an account in doubt, by the loop's clock."""

    async def access_token(self, connection_id: UUID) -> str:
        """Return a token that's valid for some minutes, or as long as possible.

        Raises PlatformError: AUTH_EXPIRED if the account must be reauthorized; TRANSIENT and the like if the
        platform didn't respond and the old token has expired, or while the account is in doubt.
        """
        held = self._held.get(connection_id)
        if held is not None and held.is_good(self._clock() + REFRESH_BEFORE):
            return held.token
        row = await self._available(connection_id)
        if row.doubted_at is not None:
            await self._confirm(row)
            row = await self._available(connection_id)
        held = _Held(await self._open(row, row.access_token), row.token_expires_at)
        if held.is_good(self._clock() + REFRESH_BEFORE):
            self._held[connection_id] = held
            return held.token
        return await self._refreshed_or(held, row)

    async def refused(self, connection_id: UUID, token: str) -> str:
        """Return another token after the platform refused this one. Raises like ``access_token``."""
        self.forget(connection_id)
        return await self._refresh_once(connection_id, token)

    async def ended(self, connection_id: UUID, token: str) -> None:
        """Handle the refusal of a token that was just renewed.

        Raises PlatformError (TRANSIENT) unless the account is known to need a new consent.
        """
        row = await self._row(connection_id)
        if not row.is_available:
            return
        if await self._open(row, row.access_token) != token:
            raise PlatformError(
                FailureKind.TRANSIENT, "renewed_meanwhile", "The access was renewed meanwhile."
            )
        await self._doubt(row)

    async def renew(self, connection_id: UUID) -> None:
        """Renew due tokens, or end a connection whose token has expired and can't be renewed.

        Raises PlatformError.
        """
        row = await self._available(connection_id)
        if row.doubted_at is not None:
            await self._confirm(row)
            return
        if row.renew_at is None or row.renew_at > self._clock():
            return  # another process was faster
        held = _Held(await self._open(row, row.access_token), row.token_expires_at)
        if row.refresh_token is None and held.is_good(self._clock()):
            await self._change(row, {"renew_at": row.token_expires_at})
        else:
            await self._refresh_once(connection_id, held.token)

    async def finish(self, longest: timedelta) -> None:
        """Wait for renewals in progress, because a response that isn't stored can end an account."""
        if self._refreshing:
            await asyncio.wait(self._refreshing.values(), timeout=longest.total_seconds())

    def forget(self, *connection_ids: UUID) -> None:
        """Drop cached tokens because the rows have changed."""
        for connection_id in connection_ids:
            self._held.pop(connection_id, None)

    async def _refreshed_or(self, held: _Held, row: Row[Any]) -> str:
        still_good = held.is_good(self._clock())
        if still_good and row.refresh_token is None:
            return held.token
        longest = self._patience.spare.total_seconds() if still_good else None
        try:
            async with asyncio.timeout(longest):
                return await self._refresh_once(row.id, held.token)
        except TimeoutError:
            return held.token
        except PlatformError as error:
            if still_good and error.kind is not FailureKind.AUTH_EXPIRED:
                return held.token
            raise

    async def _doubt(self, row: Row[Any]) -> NoReturn:
        """Put the account in doubt: a call was refused, and nothing else says that the access has ended."""
        if row.doubted_at is None:
            await self._change(row, {"doubted_at": self._clock()})
            _log.warning("a platform refuses an account; asking again", connection_id=str(row.id))
        raise _doubted(self._patience.ask_again)

    async def _confirm(self, row: Row[Any]) -> None:
        """Return if the platform accepts an account in doubt after all. Raises PlatformError otherwise.

        Ends the account if it has been in doubt long enough and new tokens are refused too.
        """
        now, every = asyncio.get_running_loop().time(), self._patience.ask_again
        wait = self._confirm_at.get(row.id, now) - now
        if wait > 0:
            raise _doubted(timedelta(seconds=wait))
        self._confirm_at[row.id] = now + every.total_seconds()
        since = self._clock() - row.doubted_at
        is_over = since >= self._patience.refused
        if is_over and row.refresh_token is not None:
            refused = await self._open(row, row.access_token)
            await self._refresh_once(row.id, refused, is_in_doubt=True)
            row = await self._available(row.id)
        if await self._accepts(row):
            await self._change(row, {"doubted_at": None})
            self._confirm_at.pop(row.id, None)
        elif is_over and await self._end(row, connections.c.renewing_until.is_(None)):
            raise _expired("The platform keeps refusing the account's access.")
        else:
            if since < timedelta():  # the clock was set back
                await self._change(row, {"doubted_at": self._clock()})
            raise _doubted(every)

    async def _accepts(self, row: Row[Any]) -> bool:
        """Whether the platform still accepts the access token, tested with a separate call.

        Raises PlatformError if it doesn't respond.
        """
        adapter = await self._platforms.adapter(ConnectionPlatform(row.platform))
        if adapter is None:
            raise _not_set_up()
        try:
            await adapter.profiles(await self._open(row, row.access_token))
        except PlatformError as error:
            if error.kind in _UNANSWERED:
                raise
            return error.kind is not FailureKind.AUTH_EXPIRED
        return True

    async def _refresh_once(self, connection_id: UUID, token: str, *, is_in_doubt: bool = False) -> str:
        task = self._refreshing.get(connection_id)
        if task is None:
            task = asyncio.create_task(self._refresh(connection_id, token, is_in_doubt=is_in_doubt))
            self._refreshing[connection_id] = task
            task.add_done_callback(lambda done: self._finished(connection_id, done))
        # A refresh token may work only once: cancelling a caller must not keep the new one from being stored.
        return await asyncio.shield(task)

    def _finished(self, connection_id: UUID, task: asyncio.Task[str]) -> None:
        del self._refreshing[connection_id]
        if not task.cancelled() and (error := task.exception()):
            _log.info("a token was not refreshed", connection_id=str(connection_id), reason=str(error))

    async def _refresh(self, connection_id: UUID, refused: str, *, is_in_doubt: bool) -> str:
        """Return a token that replaces ``refused``, possibly from another process."""
        claim = RenewalClaim(self._database, self._clock, self._patience.claim)
        foreign = ForeignClaim(self._patience.claim)
        while True:
            row = await self._available(connection_id)
            token = await self._open(row, row.access_token)
            if token != refused:
                return token
            if row.doubted_at is not None and not is_in_doubt:
                raise _doubted(self._patience.ask_again)
            if row.refresh_token is None:
                if row.token_expires_at is None or row.token_expires_at > self._clock():
                    await self._doubt(row)
                reason = "The platform ended the access, and the account has no refresh token."
                return await self._end_unless_accepted(row, _expired(reason), claim)
            until = row.renewing_until
            if (claim.is_own(until) or foreign.is_over(until)) and await claim.take(row):
                return await self._ask(row, claim)
            await asyncio.sleep(self._patience.look_again.total_seconds())

    async def _ask(self, row: Row[Any], claim: RenewalClaim) -> str:
        keeping = asyncio.create_task(claim.keep(row))
        try:
            return await self._ask_claimed(row, claim)
        finally:
            keeping.cancel()

    async def _ask_claimed(self, row: Row[Any], claim: RenewalClaim) -> str:
        try:
            with span("renew", "client", platform=row.platform, connection_id=str(row.id)):
                grant = await self._granted(row)
        except Exception as error:
            is_refused = isinstance(error, PlatformError) and error.kind is FailureKind.AUTH_EXPIRED
            self._meter.note_renewal(ConnectionPlatform(row.platform), "refused" if is_refused else "failed")
            if isinstance(error, PlatformError) and is_refused:
                return await self._end_unless_accepted(row, error, claim)
            await claim.release(row)
            raise
        self._meter.note_renewal(ConnectionPlatform(row.platform), "renewed")
        await self._store(row, grant)
        current = await self._available(row.id)
        return await self._open(current, current.access_token)

    async def _end_unless_accepted(self, row: Row[Any], refusal: PlatformError, claim: RenewalClaim) -> str:
        """End an account whose renewal was refused, unless its token works or there is a new one.

        Returns the remaining token. Raises PlatformError: ``refusal`` if the account has ended, TRANSIENT
        if another process has taken over the renewal.
        """
        current, is_alive = await self._available(row.id), True
        if current.access_token == row.access_token:
            try:
                is_alive = await self._accepts(current)
            except PlatformError:
                await claim.release(current)
                raise
            if is_alive:
                await claim.release(current, renew_at=self._clock() + _RENEW_AGAIN)
            else:
                await self._end(current, claim.no_other)
        newest = await self._row(row.id)
        if not newest.is_available:
            raise refusal
        if newest.access_token == row.access_token and not is_alive:
            raise _doubted(self._patience.claim)
        return await self._open(newest, newest.access_token)

    async def _store(self, row: Row[Any], grant: TokenGrant) -> None:
        """Store the new tokens unless newer ones are stored, retrying until it works."""
        columns = token_columns(self._seal, row.id, grant, self._clock())
        await until_written(
            lambda: self._change(row, columns), "new tokens could not be stored", connection_id=str(row.id)
        )

    async def _granted(self, row: Row[Any]) -> TokenGrant:
        platform = ConnectionPlatform(row.platform)
        adapter = await self._platforms.adapter(platform)
        credentials = self._platforms.app_of(platform)
        if adapter is None or credentials is None:
            raise _not_set_up()
        return await adapter.refresh(credentials, await self._open(row, row.refresh_token))

    async def _open(self, row: Row[Any], sealed: bytes) -> str:
        try:
            return self._seal.open(sealed, row.id)
        except SealBrokenError:
            # Maybe only the key is wrong. Restoring the key later wouldn't undo the end of the account.
            raise PlatformError(
                FailureKind.TRANSIENT,
                "unreadable_access",
                "The stored access can't be decrypted with this installation's key.",
            ) from None

    async def _end(self, row: Row[Any], may_end: ColumnElement[bool]) -> bool:
        self.forget(row.id)
        end = partial(mark_unavailable, row=row, now=self._clock(), may_end=may_end)
        return await self._database.write(end)

    async def _change(self, row: Row[Any], columns: dict[str, Any]) -> None:
        """Update the row unless its tokens have changed."""
        self.forget(row.id)
        same = update(connections).where(unchanged(row)).values(columns)
        await self._database.write(lambda rows: rows.execute(same))

    async def _available(self, connection_id: UUID) -> Row[Any]:
        row = await self._row(connection_id)
        if not row.is_available:
            raise _expired("The account must be authorized again.")
        return row

    async def _row(self, connection_id: UUID) -> Row[Any]:
        row = await self._database.read(lambda rows: rows.execute(_ONE, {"id": connection_id}).one_or_none())
        if row is None:
            raise _expired("The account is no longer connected.")
        return row


def _not_set_up() -> PlatformError:
    return PlatformError(FailureKind.PERMISSION, "not_set_up", "The platform isn't set up here.")


def _doubted(wait: timedelta) -> PlatformError:
    """Return a refusal that may be temporary."""
    return PlatformError(
        FailureKind.TRANSIENT,
        "refused_account",
        "The platform currently refuses the account. Kalends is checking whether this lasts.",
        retry_after=wait.total_seconds(),
        cause=Cause.RENEWAL,
    )


def _expired(message: str) -> PlatformError:
    return PlatformError(FailureKind.AUTH_EXPIRED, "connection_unavailable", message)
