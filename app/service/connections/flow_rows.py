"""Browser flows as rows: their stages, their result, and the accounts offered to choose from.

A stage only changes from the one that was read, so each flow ends once.
"""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final, Self
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import Connection as Rows
from sqlalchemy import Row, delete, insert, select, update

from app.contract.enums import ConnectionPlatform
from app.platforms.base import Profile, TokenGrant
from app.service.connections import words
from app.service.store.seal import Seal
from app.service.store.tables import accounts, connections
from app.service.store.tables import connection_flows as flows

_TOKEN_BYTES: Final = 24

_REMEMBERED: Final = timedelta(days=1)
"""How long after its end a flow's page can be reloaded."""

_FLOWS: Final = select(flows, accounts.c.name.label("owner")).join(
    accounts, accounts.c.id == flows.c.account_id
)
"""Flows with the name of the account that gets the connections."""


class Stage(StrEnum):
    """Stages of a flow. The last three are final, and are the ``status`` in a redirect."""

    WAITING = "waiting"
    EXCHANGING = "exchanging"
    CHOOSING = "choosing"
    CONNECTED = "connected"
    DENIED = "denied"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class FlowEnd:
    """Result of a flow: a sentence for the user and a redirect; None for our closing page.

    ``owner`` is the name of the account that the flow belongs to; empty without a flow.
    """

    stage: Stage
    words: str
    connection_id: UUID | None = None
    redirect_url: str | None = None
    stored: tuple[UUID, ...] = ()
    owner: str = ""

    @classmethod
    def of(cls, flow: Row[Any], stored: Sequence[UUID] = ()) -> Self:
        """Return the result of a ``connection_flows`` row. ``stored``: the connections it just created."""
        return cls(
            Stage(flow.stage),
            flow.outcome_words or "",
            flow.result_connection_id or flow.reauthorizes or flow.connection_id,
            flow.redirect_url,
            tuple(stored),
            flow.owner,
        )

    @property
    def target(self) -> str | None:
        """The redirect URL with ``connection_id`` and ``status`` in its query."""
        if self.redirect_url is None:
            return None
        parts = urlsplit(self.redirect_url)
        added = [("connection_id", str(self.connection_id)), ("status", self.stage.value)]
        return urlunsplit(
            parts._replace(query=urlencode([*parse_qsl(parts.query, keep_blank_values=True), *added]))
        )


@dataclass(frozen=True, slots=True)
class ChoiceDue:
    """The consent covers several accounts: redirect the browser to the choice page of ``token``."""

    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class OfferedAccount:
    """An account to choose. ``is_known``: it's already connected and would be renewed."""

    name: str
    profile: Profile
    is_known: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """Content of the choice page. ``problem`` says why it's shown again.

    ``owner`` is the name of the account that gets the chosen connections.
    """

    owner: str
    platform: ConnectionPlatform
    accounts: list[OfferedAccount]
    redirect_url: str | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class Offer:
    """An account that can be connected, and its tokens."""

    profile: Profile
    grant: TokenGrant

    @property
    def name(self) -> str:
        """The account's name for users."""
        return self.profile.display_name or self.profile.username or self.profile.account_identifier


_OFFERS: Final = TypeAdapter(list[Offer])


def offers_of(profiles: Sequence[Profile], grant: TokenGrant) -> list[Offer]:
    """Return one offer per account, ignoring duplicates."""
    once = {profile.account_identifier: profile for profile in profiles}
    return [Offer(replace(one, grant=None), one.grant or grant) for one in once.values()]


def seal_offers(seal: Seal, flow: UUID, offers: Sequence[Offer]) -> bytes:
    """Encrypt the offers for the row of a flow."""
    return seal.close(_OFFERS.dump_json(list(offers)).decode(), flow)


def open_offers(seal: Seal, flow: UUID, sealed: bytes) -> list[Offer]:
    """Decrypt the offers, in order. Raises SealBrokenError."""
    return _OFFERS.validate_json(seal.open(sealed, flow))


def choice_token(verifier: str) -> str:
    """Return the secret in the choice page's URL, derived from the flow's verifier, which stays private."""
    return hmac.new(verifier.encode(), b"choice", hashlib.sha256).hexdigest()[: 2 * _TOKEN_BYTES]


def digest(secret: str) -> str:
    """Return the stored hash of a state, or of the secret in a choice page's URL."""
    return hashlib.sha256(secret.encode()).hexdigest()


def add(rows: Rows, flow: dict[str, Any]) -> None:
    """Store a new flow."""
    rows.execute(insert(flows).values(flow))


def by_state(rows: Rows, state: str, platform: str) -> Row[Any] | None:
    """Return the flow of a state on its platform."""
    found = _FLOWS.where(flows.c.state_hash == digest(state), flows.c.platform == platform)
    return rows.execute(found).one_or_none()


def platform_of(rows: Rows, state: str, account_id: UUID) -> str | None:
    """Return the platform of an account's flow with this state."""
    found = select(flows.c.platform).where(
        flows.c.state_hash == digest(state), flows.c.account_id == account_id
    )
    platform: str | None = rows.scalar(found)
    return platform


def of_account(rows: Rows, connection_id: UUID, account_id: UUID) -> Row[Any] | None:
    """Return an account's flow by the ID of its pending connection."""
    found = _FLOWS.where(flows.c.connection_id == connection_id, flows.c.account_id == account_id)
    return rows.execute(found).one_or_none()


def by_choice(rows: Rows, token: str) -> Row[Any] | None:
    """Return the flow of a choice page's secret."""
    return rows.execute(_FLOWS.where(flows.c.choice_hash == digest(token))).one_or_none()


def advance(rows: Rows, flow: Row[Any], stage: Stage, **columns: Any) -> bool:
    """Advance the flow from the stage that was read; False if it has already changed.

    Deletes the stored offers unless ``columns`` contains new ones.
    """
    moved = rows.execute(
        update(flows)
        .where(flows.c.connection_id == flow.connection_id, flows.c.stage == flow.stage)
        .values(**{"stage": stage.value, "offered": None, **columns})
    )
    return bool(moved.rowcount)


def set_result(rows: Rows, flow: Row[Any], connection_id: UUID) -> None:
    """Store the connection that the flow led to."""
    same = flows.c.connection_id == flow.connection_id
    rows.execute(update(flows).where(same).values(result_connection_id=connection_id))


def reread(rows: Rows, flow: Row[Any]) -> Row[Any]:
    """Return the current flow."""
    return rows.execute(_FLOWS.where(flows.c.connection_id == flow.connection_id)).one()


def expected_account(rows: Rows, flow: Row[Any]) -> Row[Any]:
    """Return the connection that the flow reauthorizes."""
    return rows.execute(select(connections).where(connections.c.id == flow.reauthorizes)).one()


def tidy(rows: Rows, now: datetime) -> None:
    """End expired choices, with their tokens, and delete old flows."""
    rows.execute(
        update(flows)
        .where(flows.c.stage == Stage.CHOOSING.value, flows.c.expires_at <= now)
        .values(stage=Stage.FAILED.value, outcome_words=words.EXPIRED, offered=None)
    )
    rows.execute(delete(flows).where(flows.c.expires_at < now - _REMEMBERED))
