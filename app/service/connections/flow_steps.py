"""Steps of a browser flow: exchanging its code for accounts, and ending it.

Each step is one transaction, so that a flow ends once and completely.
"""

import base64
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from sqlalchemy import Connection as Rows
from sqlalchemy import Row

from app.contract.enums import ConnectionPlatform
from app.platforms.adapters import ConsentAdapter, HandleAdapter, ServerAdapter, publishing_scopes
from app.platforms.base import AppCredentials, PlatformError
from app.platforms.cards import CARDS
from app.service.api.responses import invalid
from app.service.clock import Clock
from app.service.connections import flow_rows
from app.service.connections.flow_rows import (
    ChoiceDue,
    FlowEnd,
    Offer,
    Stage,
    choice_token,
    offers_of,
    seal_offers,
)
from app.service.connections.platforms import Platforms
from app.service.connections.rows import ConnectionWriter
from app.service.connections.server_apps import ServerApps
from app.service.store.seal import Seal


class PermissionsMissingError(Exception):
    """A consent doesn't cover publishing. The text says what to do."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for consent.

    Attributes:
        url: URL of the consent page.
        secret: What the exchange needs: a PKCE verifier, or what the adapter wants back.
        redirect_uri: Where the browser returns.
        server: The server that the account is on, on networks of many servers.
    """

    url: str
    secret: str = field(repr=False)
    redirect_uri: str
    server: str | None = None


class Exchange:
    """Requests consent from platforms and exchanges its code."""

    def __init__(self, platforms: Platforms, seal: Seal, server_apps: ServerApps) -> None:
        self._platforms = platforms
        self._seal = seal
        self._server_apps = server_apps

    async def ready(self, platform: ConnectionPlatform) -> tuple[ConsentAdapter, AppCredentials]:
        """Return adapter and credentials. Raises ApiError (400) if the platform isn't set up."""
        adapter = await self._platforms.adapter(platform)
        if not isinstance(adapter, ConsentAdapter) or isinstance(adapter, ServerAdapter):
            raise invalid("platform", f"can't be connected by this version: {platform.value}", "unsupported")
        credentials = self._platforms.app_of(platform)
        if credentials is None:
            raise invalid(
                "platform",
                f"isn't set up: enter its app under Connections in Kalends, or under"
                f" [platforms.{platform.value}] in service.toml in the data folder",
                "not_set_up",
            )
        return adapter, credentials

    async def ready_at(
        self, platform: ConnectionPlatform, written: str, redirect_uri: str
    ) -> tuple[ConsentAdapter, AppCredentials, str]:
        """Return adapter, credentials and redirect URI for a server as a user names it.

        Registers an app if needed. Each server has a redirect URI of its own: otherwise, one could send users
        to the consent page of another and get their code (RFC 9700, section 4.4). Raises ApiError (400) for a
        network without servers, or if the server can't be used.
        """
        adapter = await self._platforms.adapter(platform)
        if not isinstance(adapter, ServerAdapter):
            raise invalid("platform", "has no servers to choose from", "unsupported")
        try:
            server = await adapter.server_of(written)
            redirect_uri = f"{redirect_uri.rstrip('/')}/{urlsplit(server).netloc}"
            return adapter, await self._server_apps.ready(adapter, server, redirect_uri), redirect_uri
        except PlatformError as error:
            raise invalid("server", f"can't be used. {error.message}", error.code) from None

    async def ask(
        self, platform: ConnectionPlatform, written: str | None, redirect_uri: str, state: str
    ) -> Asked:
        """Request consent. ``written`` is the account's server or handle, on networks of many servers.

        Raises ApiError (400) if the platform isn't set up, or the server can't be used.
        """
        if written is None:
            adapter, credentials = await self.ready(platform)
        else:
            found = await self._platforms.adapter(platform)
            if isinstance(found, HandleAdapter):
                return await self._push(found, written, redirect_uri, state)
            adapter, credentials, redirect_uri = await self.ready_at(platform, written, redirect_uri)
        verifier = secrets.token_urlsafe(48)
        url = adapter.authorization_url(
            credentials, redirect_uri=redirect_uri, state=state, code_challenge=_challenge(verifier)
        )
        return Asked(url, verifier, redirect_uri, credentials.server or None)

    async def accounts(self, flow: Row[Any], answer: Mapping[str, str]) -> list[Offer]:
        """Return the accounts covered by the consent.

        ``answer`` is the query of the callback, with a ``code``. Raises PlatformError, or
        PermissionsMissingError if nothing could be published to them.
        """
        platform = ConnectionPlatform(flow.platform)
        secret = self._seal.open(flow.code_verifier, flow.connection_id)
        adapter = await self._platforms.adapter(platform)
        if isinstance(adapter, HandleAdapter):
            grant = await adapter.redeem(flow.server, secret, redirect_uri=flow.callback_url, answer=answer)
            return offers_of(await adapter.profiles(grant.access_token), grant)
        if flow.server is None:
            consenting, credentials = await self.ready(platform)
        else:
            consenting, credentials = await self._consented(platform, flow)
        grant = await consenting.exchange_code(
            credentials, redirect_uri=flow.callback_url, code=answer["code"], code_verifier=secret
        )
        needed = publishing_scopes(CARDS[platform], consenting)
        if words := missing_permissions(platform, grant.scopes, needed):
            raise PermissionsMissingError(words)
        return offers_of(await consenting.profiles(grant.access_token), grant)

    async def _push(self, adapter: HandleAdapter, handle: str, redirect_uri: str, state: str) -> Asked:
        try:
            pushed = await adapter.push(handle, redirect_uri=redirect_uri, state=state)
        except PlatformError as error:
            raise invalid("server", f"can't be used. {error.message}", error.code) from None
        return Asked(pushed.url, pushed.secret, redirect_uri, pushed.server)

    async def _consented(
        self, platform: ConnectionPlatform, flow: Row[Any]
    ) -> tuple[ConsentAdapter, AppCredentials]:
        """Return adapter and credentials of the server that a flow is for."""
        adapter = await self._platforms.adapter(platform)
        if not isinstance(adapter, ServerAdapter):
            raise invalid("platform", "has no servers to choose from", "unsupported")
        return adapter, await self._server_apps.registered(platform, flow.server, flow.callback_url)


def _challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def missing_permissions(
    platform: ConnectionPlatform, granted: frozenset[str] | None, needed: frozenset[str]
) -> str:
    """Return which permissions publishing lacks, and what to do; "" for none, and if they're unknown.

    Sending posts to the user's inbox is enough.
    """
    card = CARDS[platform]
    if granted is None or (card.inbox is not None and card.inbox.scope in granted):
        return ""
    missing = needed - granted
    return flow_rows.missing_permissions(platform, missing) if missing else ""


class Endings:
    """Advances flows from the stage that was read, unless another process was faster."""

    def __init__(self, seal: Seal, clock: Clock, *, practice: bool) -> None:
        self._seal = seal
        self._writer = ConnectionWriter(seal, clock, practice=practice)

    def conclude(self, rows: Rows, flow: Row[Any], stage: Stage, reason: str) -> Row[Any]:
        """End the flow without an account, and return it as it is then."""
        flow_rows.advance(rows, flow, stage, outcome_words=reason)
        return flow_rows.reread(rows, flow)

    def start_exchange(self, rows: Rows, flow: Row[Any]) -> tuple[Row[Any], bool]:
        """Mark the platform's code as used; return the flow as it is then, and whether this call did it."""
        started = flow_rows.advance(rows, flow, Stage.EXCHANGING)
        return flow_rows.reread(rows, flow), started

    def offer(self, rows: Rows, flow: Row[Any], offers: Sequence[Offer]) -> FlowEnd | ChoiceDue:
        """Store the accounts until the user has chosen. Returns the result if the flow has already ended.

        Can be repeated after a commit whose response was lost.
        """
        due = self.choice_due(flow)
        sealed = seal_offers(self._seal, flow.connection_id, offers)
        offered = flow_rows.advance(
            rows, flow, Stage.CHOOSING, choice_hash=flow_rows.digest(due.token), offered=sealed
        )
        now = flow_rows.reread(rows, flow)
        return due if offered or now.stage == Stage.CHOOSING else FlowEnd.of(now)

    def choice_due(self, flow: Row[Any]) -> ChoiceDue:
        """Return where to make the flow's choice."""
        return ChoiceDue(choice_token(self._seal.open(flow.code_verifier, flow.connection_id)))

    def connect(self, rows: Rows, flow: Row[Any], chosen: Sequence[Offer]) -> FlowEnd:
        """Store the accounts, at least one. The first new one gets the pending ID.

        Returns the actual result if the flow has already ended.
        """
        platform = ConnectionPlatform(flow.platform)
        message = flow_rows.connected([offer.name for offer in chosen], platform)
        if not flow_rows.advance(rows, flow, Stage.CONNECTED, outcome_words=message):
            return FlowEnd.of(flow_rows.reread(rows, flow))
        stored, new_id = [], flow.connection_id
        for offer in chosen:
            owner, profile = flow.account_id, offer.profile
            stored.append(self._writer.store(rows, owner, platform, new_id, profile, offer.grant))
            new_id = uuid4() if stored[-1] == new_id else new_id
        flow_rows.set_result(rows, flow, stored[0])
        return FlowEnd.of(flow_rows.reread(rows, flow), stored)

    def renew(self, rows: Rows, flow: Row[Any], offers: Sequence[Offer]) -> FlowEnd:
        """Store the reauthorized account. If it isn't among the offers, nothing changes."""
        expected = flow_rows.expected_account(rows, flow)
        wanted = [one for one in offers if one.profile.account_identifier == expected.account_identifier]
        if not wanted:
            expected_name = expected.display_name or expected.username or expected.account_identifier
            reason = flow_rows.another_account(
                expected_name, [one.name for one in offers], ConnectionPlatform(flow.platform)
            )
            return FlowEnd.of(self.conclude(rows, flow, Stage.FAILED, reason))
        return self.connect(rows, flow, wanted)
