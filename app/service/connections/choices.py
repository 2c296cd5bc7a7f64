"""Choosing among the accounts covered by one consent."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection as Rows
from sqlalchemy import Row

from app.contract.enums import ConnectionPlatform
from app.database import Database
from app.service.clock import Clock
from app.service.connections import flow_rows, words
from app.service.connections.endings import Endings
from app.service.connections.ends import Choice, FlowEnd, OfferedAccount, Stage
from app.service.connections.offers import open_offers
from app.service.connections.rows import identifiers
from app.service.connections.tokens import TokenKeeper
from app.service.store.seal import Seal


class Choices:
    """Choices of flows that are waiting for one. ``token`` is the secret in the page's URL."""

    def __init__(self, database: Database, seal: Seal, tokens: TokenKeeper, clock: Clock) -> None:
        self._database = database
        self._seal = seal
        self._tokens = tokens
        self._clock = clock
        self._endings = Endings(seal, clock)

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
            return self._endings.conclude(rows, flow, Stage.DENIED, words.CALLED_OFF)

        return await self._database.write(work)

    def _waiting(self, rows: Rows, token: str) -> FlowEnd | Row[Any]:
        flow = flow_rows.by_choice(rows, token)
        if flow is None:
            return FlowEnd(Stage.FAILED, words.UNKNOWN)
        if flow.stage != Stage.CHOOSING:
            return FlowEnd.of(flow)
        if flow.expires_at <= self._clock():
            return replace(FlowEnd.of(flow), stage=Stage.FAILED, words=words.EXPIRED)
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
            return self._show(rows, token, words.NOTHING_CHOSEN)
        return self._endings.connect(rows, flow, chosen)
