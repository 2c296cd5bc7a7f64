"""Browser flows from initiation to their end. Of the state only a hash is stored; the verifier is sealed."""

import asyncio
import base64
import hashlib
import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import structlog
from pydantic import AnyHttpUrl
from sqlalchemy import Connection as Rows
from sqlalchemy import Row, delete, insert, select, update

from app.contract.connections import ConnectionInitiation, InitiateConnection
from app.contract.enums import ConnectionPlatform
from app.contract.limits import CONNECTION_STATE_LIFETIME
from app.database import Database
from app.platforms.base import Adapter, AppCredentials, PlatformError, Profile, TokenGrant
from app.service.api.errors import invalid
from app.service.clock import Clock
from app.service.connections import words
from app.service.connections.ends import FlowEnd, Stage
from app.service.connections.platforms import Platforms
from app.service.connections.rows import ConnectionWriter
from app.service.connections.tokens import TokenKeeper
from app.service.store.seal import Seal
from app.service.store.tables import connection_flows as flows

_log = structlog.get_logger(__name__)

_REMEMBERED = timedelta(days=1)
"""How long after its end a flow's page can still be reloaded."""
_DENIALS = frozenset({"access_denied", "user_cancelled_login", "user_cancelled_authorize"})


class Flows:
    """Begins flows for the API and ends them for the browser that comes back."""

    def __init__(
        self,
        database: Database,
        seal: Seal,
        platforms: Platforms,
        tokens: TokenKeeper,
        clock: Clock,
        callback_origin: str,
    ) -> None:
        """``callback_origin`` is where browsers come back to, such as ``http://127.0.0.1:17217``."""
        self._database = database
        self._seal = seal
        self._platforms = platforms
        self._tokens = tokens
        self._clock = clock
        self._callback_origin = callback_origin
        self._writer = ConnectionWriter(seal, clock)
        self._ending: dict[str, asyncio.Task[FlowEnd]] = {}

    async def begin(self, account_id: UUID, body: InitiateConnection) -> ConnectionInitiation:
        """Stores a pending connection and gives the address for the browser.

        Raises ApiError (400) for a platform that is not set up here.
        """
        platform = ConnectionPlatform(body.platform.value)
        adapter, credentials = self._ready(platform)
        connection_id, now = uuid4(), self._clock()
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        callback_url = f"{self._callback_origin}/callback/{platform.value}"
        row = {
            "connection_id": connection_id,
            "account_id": account_id,
            "platform": platform.value,
            "state_hash": _digest(state),
            "code_verifier": self._seal.close(verifier, connection_id),
            "callback_url": callback_url,
            "redirect_url": str(AnyHttpUrl(body.redirect_url)) if body.redirect_url else None,
            "stage": Stage.WAITING.value,
            "created_at": now,
            "expires_at": now + CONNECTION_STATE_LIFETIME,
        }

        def work(rows: Rows) -> None:
            rows.execute(delete(flows).where(flows.c.expires_at < now - _REMEMBERED))
            rows.execute(insert(flows).values(row))

        await self._database.write(work)
        return ConnectionInitiation(
            connect_url=adapter.authorization_url(
                credentials, redirect_uri=callback_url, state=state, code_challenge=_challenge(verifier)
            ),
            state=state,
            expires_at=now + CONNECTION_STATE_LIFETIME,
            connection_id=connection_id,
        )

    async def end(self, platform: str, answer: Mapping[str, str]) -> FlowEnd:
        """What became of the flow that a browser comes back with; the same however often it asks.

        ``answer`` is the query of the callback: ``state`` with ``code`` or ``error``. A browser that goes
        away does not stop the exchange that it began.
        """
        state_hash = _digest(answer.get("state", ""))
        task = self._ending.get(state_hash)
        if task is None:
            task = asyncio.create_task(self._end(platform, state_hash, answer))
            self._ending[state_hash] = task
            task.add_done_callback(lambda _: self._ending.pop(state_hash))
        return await asyncio.shield(task)

    def _ready(self, platform: ConnectionPlatform) -> tuple[Adapter, AppCredentials]:
        adapter = self._platforms.adapters.get(platform)
        if adapter is None:
            raise invalid("platform", f"cannot be connected by this version: {platform.value}", "unsupported")
        credentials = self._platforms.credentials.get(platform)
        if credentials is None:
            raise invalid(
                "platform",
                f"is not set up: add client_id and client_secret under [platforms.{platform.value}]"
                " in service.toml in the data folder",
                "not_set_up",
            )
        return adapter, credentials

    async def _end(self, platform: str, state_hash: str, answer: Mapping[str, str]) -> FlowEnd:
        flow = await self._database.read(
            lambda rows: rows.execute(
                select(flows).where(flows.c.state_hash == state_hash, flows.c.platform == platform)
            ).one_or_none()
        )
        if flow is None:
            return FlowEnd(Stage.FAILED, words.UNKNOWN)
        if flow.stage != Stage.WAITING:
            interrupted = flow.stage == Stage.EXCHANGING
            return await self._fail(flow, words.INTERRUPTED) if interrupted else FlowEnd.of(flow)
        if flow.expires_at <= self._clock():
            return await self._fail(flow, words.EXPIRED)
        return await self._proceed(flow, answer)

    async def _proceed(self, flow: Row[Any], answer: Mapping[str, str]) -> FlowEnd:
        platform = ConnectionPlatform(flow.platform)
        if problem := answer.get("error"):
            if problem in _DENIALS:
                return await self._conclude(flow, Stage.DENIED, words.DENIED)
            return await self._fail(flow, words.refused(platform, answer.get("error_description") or problem))
        if not (code := answer.get("code")):
            return FlowEnd(Stage.FAILED, words.INCOMPLETE)
        await self._conclude(flow, Stage.EXCHANGING, None)
        try:
            return await self._connect(flow, platform, code)
        except PlatformError as error:
            return await self._fail(flow, words.refused(platform, error.message))
        except Exception:  # noqa: BLE001  the person must learn that it ended
            _log.exception("connecting failed", platform=platform.value)
            return await self._fail(flow, words.BROKEN)

    async def _connect(self, flow: Row[Any], platform: ConnectionPlatform, code: str) -> FlowEnd:
        adapter, credentials = self._ready(platform)
        grant = await adapter.exchange_code(
            credentials,
            redirect_uri=flow.callback_url,
            code=code,
            code_verifier=self._seal.open(flow.code_verifier, flow.connection_id),
        )
        profiles = await adapter.profiles(grant.access_token)
        if len(profiles) != 1:
            return await self._fail(flow, words.SEVERAL_ACCOUNTS if profiles else words.NO_ACCOUNT)
        end = await self._database.write(lambda rows: self._store(rows, flow, profiles[0], grant))
        if end.connection_id is not None:
            self._tokens.forget(end.connection_id)
        return end

    def _store(self, rows: Rows, flow: Row[Any], profile: Profile, grant: TokenGrant) -> FlowEnd:
        platform = ConnectionPlatform(flow.platform)
        stored = self._writer.store(rows, flow.account_id, platform, flow.connection_id, profile, grant)
        name = profile.display_name or profile.username or profile.account_identifier
        return _conclude(rows, flow, Stage.CONNECTED, words.connected(name, platform), stored)

    async def _fail(self, flow: Row[Any], reason: str) -> FlowEnd:
        return await self._conclude(flow, Stage.FAILED, reason)

    async def _conclude(self, flow: Row[Any], stage: Stage, reason: str | None) -> FlowEnd:
        return await self._database.write(lambda rows: _conclude(rows, flow, stage, reason))


def _conclude(
    rows: Rows, flow: Row[Any], stage: Stage, reason: str | None, connection_id: UUID | None = None
) -> FlowEnd:
    concluded = rows.execute(
        update(flows)
        .where(flows.c.connection_id == flow.connection_id)
        .values(stage=stage.value, outcome_words=reason, result_connection_id=connection_id)
        .returning(*flows.c)
    ).one()
    return FlowEnd.of(concluded)


def _digest(state: str) -> str:
    return hashlib.sha256(state.encode()).hexdigest()


def _challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
