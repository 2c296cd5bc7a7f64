"""Browser flows from start to end, and the choice among the accounts of one consent.

The state is stored as a hash, and the verifier encrypted.
"""

import asyncio
import secrets
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, Final, TypeVar
from uuid import UUID, uuid4

import structlog
from pydantic import AnyHttpUrl
from sqlalchemy import Connection as Rows
from sqlalchemy import Row
from sqlalchemy.exc import DBAPIError

from app.contract.companion import ConnectionOutcome, ConnectionStage
from app.contract.connections import Connection, ConnectionInitiation, Reauthorization
from app.contract.enums import ConnectionPlatform
from app.contract.limits import CONNECTION_STATE_LIFETIME
from app.database import Database, DatabaseError
from app.database.committer import Work
from app.platforms.base import PlatformError
from app.service.accounts.accounts import Caller
from app.service.accounts.callers import require_admitted, write_for
from app.service.api.responses import invalid, not_found
from app.service.clock import Clock
from app.service.connections import flow_rows
from app.service.connections.apps import Addresses, answer_in
from app.service.connections.flow_rows import (
    Choice,
    ChoiceDue,
    FlowEnd,
    Offer,
    OfferedAccount,
    Stage,
    open_offers,
)
from app.service.connections.flow_steps import Endings, Exchange, PermissionsMissingError
from app.service.connections.platforms import Platforms
from app.service.connections.rows import find_connection, identifiers
from app.service.connections.server_apps import ServerApps
from app.service.connections.tokens import TokenKeeper
from app.service.store.seal import Seal

_log = structlog.get_logger(__name__)

EXCHANGE_MAX: Final = timedelta(minutes=2)
"""How long to wait for an exchange in another process, before it counts as interrupted."""
STORED_WITHIN: Final = timedelta(seconds=90)
"""How long to keep an exchanged access that can't be stored.

Less than ``EXCHANGE_MAX``, after which another process ends the flow.
"""
_LOOK_EVERY_S: Final = 0.5
T = TypeVar("T")
_DENIALS: Final = frozenset({"access_denied", "user_cancelled_login", "user_cancelled_authorize"})


class _NotStoredError(Exception):
    """The database wasn't available for too long. It may nevertheless have stored the result."""


class Flows:
    """Starts flows for the API, and ends them for the returning browser."""

    def __init__(
        self,
        database: Database,
        seal: Seal,
        platforms: Platforms,
        tokens: TokenKeeper,
        clock: Clock,
        addresses: Addresses,
        endings: Endings,
        *,
        elsewhere: timedelta = timedelta(),
        stored_within: timedelta = STORED_WITHIN,
    ) -> None:
        """``elsewhere`` is how long another process may take to exchange a code; zero if there is none."""
        self._elsewhere = elsewhere
        self._stored_within = stored_within
        self._database = database
        self._seal = seal
        self._tokens = tokens
        self._clock = clock
        self._addresses = addresses
        self._exchange = Exchange(platforms, seal, ServerApps(database, seal, clock))
        self._endings = endings
        self._ending: dict[tuple[str, str, str], asyncio.Task[FlowEnd | ChoiceDue]] = {}

    async def begin(
        self,
        caller: Caller,
        platform: ConnectionPlatform,
        redirect_url: str | None = None,
        reauthorize: UUID | None = None,
        server: str | None = None,
    ) -> ConnectionInitiation:
        """Store a pending connection and return the URL for the browser.

        Args:
            caller: Who asks; the account owns the connection.
            platform: Any of the eight.
            redirect_url: Where the browser goes at the end, http or https; None for our closing page.
            reauthorize: The connection to reauthorize; None for a new one.
            server: The account's server or handle as the user names it, on networks of many servers.

        Raises:
            ApiError: 400 if the platform isn't set up, or the server can't be used.
        """
        state = secrets.token_urlsafe(32)
        asked = await self._exchange.ask(platform, server, self._addresses.redirect_uri(platform), state)
        connection_id, now = uuid4(), self._clock()
        flow = {
            "connection_id": connection_id,
            "account_id": caller.account_id,
            "platform": platform.value,
            "state_hash": flow_rows.digest(state),
            "code_verifier": self._seal.close(asked.secret, connection_id),
            "callback_url": asked.redirect_uri,
            "server": asked.server,
            "redirect_url": str(AnyHttpUrl(redirect_url)) if redirect_url else None,
            "reauthorizes": reauthorize,
            "stage": Stage.WAITING.value,
            "created_at": now,
            "expires_at": now + CONNECTION_STATE_LIFETIME,
        }
        await write_for(self._database, caller, now, lambda rows: flow_rows.add(rows, flow))
        return ConnectionInitiation(
            connect_url=asked.url,
            state=state,
            expires_at=now + CONNECTION_STATE_LIFETIME,
            connection_id=connection_id,
        )

    async def reauthorize(self, caller: Caller, connection_id: UUID) -> Reauthorization:
        """Start a flow that makes an account available again.

        Raises ApiError: 404 for an unknown connection, 400 if it's available.
        """
        account = await self._find(caller, connection_id)
        if account.is_available:
            raise invalid("id", "is available, so it doesn't need to be authorized again", "available")
        begun = await self.begin(caller, account.platform, reauthorize=connection_id)
        return Reauthorization(reauth_url=begun.connect_url, account=account)

    async def reconnect(
        self, caller: Caller, connection_id: UUID, redirect_url: str | None
    ) -> ConnectionInitiation:
        """Start a flow for an account, whether or not its access has ended. Raises ApiError (404)."""
        known = await self._find(caller, connection_id)
        return await self.begin(caller, known.platform, redirect_url, connection_id)

    async def _find(self, caller: Caller, connection_id: UUID) -> Connection:
        owner = caller.account_id
        return await self._database.read(lambda rows: find_connection(rows, owner, connection_id))

    async def outcome(self, account_id: UUID, attempt_id: UUID) -> ConnectionOutcome:
        """Return the status of an account's flow. Raises ApiError (404)."""
        flow = await self._database.read(lambda rows: flow_rows.of_account(rows, attempt_id, account_id))
        if flow is None:
            raise not_found("attempt")
        if flow.stage == Stage.CHOOSING:
            return self._choosing(self._endings.choice_due(flow))
        if flow.stage not in (Stage.WAITING, Stage.EXCHANGING):
            return _outcome(FlowEnd.of(flow))
        return ConnectionOutcome(
            stage=ConnectionStage.WAITING, message="", connection_id=None, choose_url=None
        )

    async def cancel(self, caller: Caller, attempt_id: UUID) -> ConnectionOutcome:
        """Cancel an account's flow unless it has ended. Raises ApiError (404)."""

        def conclude(rows: Rows) -> bool:
            flow = flow_rows.of_account(rows, attempt_id, caller.account_id)
            if flow is not None and flow.stage in (Stage.WAITING, Stage.EXCHANGING, Stage.CHOOSING):
                self._endings.conclude(rows, flow, Stage.FAILED, flow_rows.CANCELLED)
            return flow is not None

        if not await write_for(self._database, caller, self._clock(), conclude):
            raise not_found("attempt")
        return await self.outcome(caller.account_id, attempt_id)

    async def end(self, platform: str, answer: Mapping[str, str], path: str = "") -> FlowEnd | ChoiceDue:
        """Complete the flow of a returning browser. Repeated calls return the same result.

        ``answer`` is the query of the callback: ``state`` with ``code`` or ``error``. ``path`` is where the
        browser returned, which counts on networks of many servers. If it disconnects, the exchange continues.
        """
        key = platform, path, flow_rows.digest(answer.get("state", ""))
        task = self._ending.get(key)
        if task is None:
            task = asyncio.create_task(self._end(platform, answer, path))
            self._ending[key] = task
            task.add_done_callback(lambda _: self._ending.pop(key))
        return await asyncio.shield(task)

    async def complete(self, caller: Caller, address: str) -> ConnectionOutcome:
        """Complete an account's flow with the final address of its browser.

        Raises ApiError (400) if the address contains no response to one of its flows.
        """
        path, answer = answer_in(address)
        state, now = answer.get("state", ""), self._clock()

        def find(rows: Rows) -> str | None:
            require_admitted(rows, caller, now)
            return flow_rows.platform_of(rows, state, caller.account_id)

        platform = await self._database.read(find)
        if platform is None:
            raise invalid("address", "doesn't belong to a connection in progress", "unknown")
        if not {"code", "error"} & answer.keys():
            raise invalid("address", "is incomplete; copy the whole address", "incomplete")
        outcome = await self.end(platform, answer, path)
        return self._choosing(outcome) if isinstance(outcome, ChoiceDue) else _outcome(outcome)

    def _choosing(self, due: ChoiceDue) -> ConnectionOutcome:
        return ConnectionOutcome(
            stage=ConnectionStage.CHOOSING,
            message=flow_rows.CHOOSE,
            connection_id=None,
            choose_url=self._addresses.choice(due.token),
        )

    async def _end(self, platform: str, answer: Mapping[str, str], path: str) -> FlowEnd | ChoiceDue:
        state = answer.get("state", "")
        flow = await self._database.read(lambda rows: flow_rows.by_state(rows, state, platform))
        if flow is None or not flow_rows.returns_to(flow, path):
            return FlowEnd(Stage.FAILED, flow_rows.UNKNOWN)
        try:
            if flow.stage in (Stage.WAITING, Stage.CHOOSING) and flow.expires_at <= self._clock():
                return await self._conclude(flow, Stage.FAILED, flow_rows.EXPIRED)
            return await (self._proceed(flow, answer) if flow.stage == Stage.WAITING else self._settled(flow))
        except _NotStoredError:
            return replace(FlowEnd.of(flow), stage=Stage.FAILED, words=flow_rows.NOT_STORED)

    async def _exchanged_elsewhere(self, flow: Row[Any]) -> Row[Any]:
        """Return the flow once another process has exchanged its code, or if that takes too long."""
        clock = asyncio.get_running_loop().time
        until = clock() + self._elsewhere.total_seconds()
        while flow.stage == Stage.EXCHANGING and clock() < until:
            await asyncio.sleep(_LOOK_EVERY_S)
            flow = await self._database.read(partial(flow_rows.reread, flow=flow))
        return flow

    async def _proceed(self, flow: Row[Any], answer: Mapping[str, str]) -> FlowEnd | ChoiceDue:
        platform = ConnectionPlatform(flow.platform)
        if problem := answer.get("error"):
            if problem in _DENIALS:
                return await self._conclude(flow, Stage.DENIED, flow_rows.DENIED)
            reason = flow_rows.refused(platform, answer.get("error_description") or problem, problem)
            return await self._conclude(flow, Stage.FAILED, reason)
        if not answer.get("code"):
            return FlowEnd(Stage.FAILED, flow_rows.INCOMPLETE)
        now, started = await self._database.write(lambda rows: self._endings.start_exchange(rows, flow))
        return await (self._try_exchange(now, answer) if started else self._settled(now))

    async def _try_exchange(self, flow: Row[Any], answer: Mapping[str, str]) -> FlowEnd | ChoiceDue:
        platform = ConnectionPlatform(flow.platform)
        try:
            return await self._take(flow, await self._exchange.accounts(flow, answer))
        except PlatformError as error:
            return await self._conclude(flow, Stage.FAILED, flow_rows.failed(platform, error))
        except PermissionsMissingError as error:
            return await self._conclude(flow, Stage.FAILED, str(error))
        except _NotStoredError:
            raise
        except Exception:  # noqa: BLE001  the user must see that it ended
            _log.exception("connecting failed", platform=platform.value)
            return await self._conclude(flow, Stage.FAILED, flow_rows.BROKEN)

    async def _take(self, flow: Row[Any], offers: list[Offer]) -> FlowEnd | ChoiceDue:
        if flow.reauthorizes is not None:
            end = await self._store(lambda rows: self._endings.renew(rows, flow, offers))
        elif not offers:
            platform = ConnectionPlatform(flow.platform)
            return await self._conclude(flow, Stage.FAILED, flow_rows.no_account(platform))
        elif len(offers) > 1:
            return await self._store(lambda rows: self._endings.offer(rows, flow, offers))
        else:
            end = await self._store(lambda rows: self._endings.connect(rows, flow, offers))
        self._tokens.forget(*end.stored)
        return end

    async def _conclude(self, flow: Row[Any], stage: Stage, reason: str) -> FlowEnd | ChoiceDue:
        now = await self._store(lambda rows: self._endings.conclude(rows, flow, stage, reason))
        return await self._settled(now)

    async def _store(self, work: Work[T]) -> T:
        """Write where a flow led, again and again while the database is away: a code works only once.

        ``work`` may find that it has already run. Raises _NotStoredError.
        """
        clock = asyncio.get_running_loop().time
        until = clock() + self._stored_within.total_seconds()
        while True:
            try:
                return await self._database.write(work)
            except (DatabaseError, DBAPIError) as error:
                if clock() >= until:
                    _log.exception("the result of connecting an account could not be stored")
                    raise _NotStoredError from error
                _log.warning(
                    "the result of connecting an account could not be stored; trying again", reason=str(error)
                )
            await asyncio.sleep(_LOOK_EVERY_S)

    async def _settled(self, flow: Row[Any]) -> FlowEnd | ChoiceDue:
        """Return where a flow led, once its code has been exchanged."""
        flow = await self._exchanged_elsewhere(flow)
        if flow.stage == Stage.EXCHANGING:
            return await self._conclude(flow, Stage.FAILED, flow_rows.INTERRUPTED)
        return self._endings.choice_due(flow) if flow.stage == Stage.CHOOSING else FlowEnd.of(flow)


def _outcome(end: FlowEnd) -> ConnectionOutcome:
    return ConnectionOutcome(
        stage=ConnectionStage(end.stage.value),
        message=end.words,
        connection_id=end.connection_id,
        choose_url=None,
    )


class Choices:
    """Choices of flows that are waiting for one. ``token`` is the secret in the page's URL."""

    def __init__(
        self, database: Database, seal: Seal, tokens: TokenKeeper, clock: Clock, endings: Endings
    ) -> None:
        self._database = database
        self._seal = seal
        self._tokens = tokens
        self._clock = clock
        self._endings = endings

    async def show(self, token: str) -> FlowEnd | Choice:
        """Return the choice, or how the flow ended."""
        return await self._database.read(lambda rows: self._show(rows, token, None))

    async def choose(self, token: str, picked: Collection[int]) -> FlowEnd | Choice:
        """Connect the accounts at these indexes. If there are none, the choice stays open."""
        end = await self._database.write(lambda rows: self._choose(rows, token, picked))
        if isinstance(end, FlowEnd):
            self._tokens.forget(*end.stored)
        return end

    async def call_off(self, token: str) -> FlowEnd:
        """End the flow without an account."""

        def work(rows: Rows) -> FlowEnd:
            flow = self._waiting(rows, token)
            if isinstance(flow, FlowEnd):
                return flow
            return FlowEnd.of(self._endings.conclude(rows, flow, Stage.DENIED, flow_rows.CALLED_OFF))

        return await self._database.write(work)

    def _waiting(self, rows: Rows, token: str) -> FlowEnd | Row[Any]:
        flow = flow_rows.by_choice(rows, token)
        if flow is None:
            return FlowEnd(Stage.FAILED, flow_rows.UNKNOWN)
        if flow.stage != Stage.CHOOSING:
            return FlowEnd.of(flow)
        if flow.expires_at <= self._clock():
            return replace(FlowEnd.of(flow), stage=Stage.FAILED, words=flow_rows.EXPIRED)
        return flow

    def _show(self, rows: Rows, token: str, problem: str | None) -> FlowEnd | Choice:
        flow = self._waiting(rows, token)
        if isinstance(flow, FlowEnd):
            return flow
        known = identifiers(rows, flow.account_id, flow.platform)
        accounts = [
            OfferedAccount(offer.name, offer.profile, offer.profile.account_identifier in known)
            for offer in open_offers(self._seal, flow.connection_id, flow.offered)
        ]
        return Choice(flow.owner, ConnectionPlatform(flow.platform), accounts, flow.redirect_url, problem)

    def _choose(self, rows: Rows, token: str, picked: Collection[int]) -> FlowEnd | Choice:
        flow = self._waiting(rows, token)
        if isinstance(flow, FlowEnd):
            return flow
        offers = open_offers(self._seal, flow.connection_id, flow.offered)
        chosen = [offer for place, offer in enumerate(offers) if place in picked]
        if not chosen:
            return self._show(rows, token, flow_rows.NOTHING_CHOSEN)
        return self._endings.connect(rows, flow, chosen)
