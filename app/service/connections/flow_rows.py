"""Browser flows as rows: their stages, result, texts, and the accounts offered to choose from.

A stage only changes from the one that was read, so each flow ends once.
"""

import hashlib
import hmac
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final, Self
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import Connection as Rows
from sqlalchemy import Row, bindparam, delete, exists, insert, or_, select, update

from app.contract.enums import ConnectionPlatform
from app.platforms.base import Cause, FailureKind, PlatformError, Profile, TokenGrant
from app.platforms.cards import CARDS, name_of
from app.service.store.seal import Seal
from app.service.store.tables import accounts, connections
from app.service.store.tables import connection_flows as flows

DENIED: Final = "You didn't allow access, so nothing was connected. You can start again at any time."
EXPIRED: Final = "This took longer than 15 minutes, so nothing was connected. Start again."
INTERRUPTED: Final = "The service restarted before this was finished, so nothing was connected. Start again."
BROKEN: Final = "Something went wrong in the service, so nothing was connected. Start again."
NOT_STORED: Final = (
    "The service couldn't store the result because its database isn't available."
    " If the account isn't connected once it's back, start again."
)
UNKNOWN: Final = "This address doesn't belong to a connection in progress. Start again."
INCOMPLETE: Final = "This address is incomplete. Copy the whole address, or start again."
CANCELLED: Final = "You cancelled this in Kalends, so nothing was connected. You can start again at any time."
CALLED_OFF: Final = "You didn't choose an account, so nothing was connected. You can start again at any time."
CHOOSE: Final = "Kalends has access to several accounts. Choose which ones to connect."
NOTHING_CHOSEN: Final = "Choose at least one account."

_AGAIN: Final = frozenset({FailureKind.TRANSIENT, FailureKind.RATE_LIMITED, FailureKind.AMBIGUOUS})

_NOT_OFFERED: Final = frozenset({"unauthorized_scope_error", "invalid_scope"})
"""The app can't ask for a permission; LinkedIn has a code of its own for that."""
_ABOUT_ADDRESS: Final = re.compile(r"redirect[ _]ur[il]", re.IGNORECASE)

_LONGEST_QUOTE = 300
_MOST_NAMED = 4


def refused(platform: ConnectionPlatform, reason: str, code: str) -> str:
    """Return a message with the platform's own reason and the next click; ``code`` is its error code."""
    quoted = reason[:_LONGEST_QUOTE].rstrip(".")
    next_click = "Start again."
    if code in _NOT_OFFERED:
        next_click = CARDS[platform].registration.permission_advice or next_click
    elif _ABOUT_ADDRESS.search(f"{code} {quoted}"):
        next_click = "Register exactly the redirect address that Set up platforms shows, then start again."
    return f"{name_of(platform)} refused: {quoted}. Nothing was connected. {next_click}"


def failed(platform: ConnectionPlatform, error: PlatformError) -> str:
    """Explain why the platform denied access: what happened, what to do, and its own message."""
    name, said = name_of(platform), error.message[:_LONGEST_QUOTE]
    if error.kind in _AGAIN:
        quoted = said.rstrip(".") if name in said else f"{name} said: {said.rstrip('.')}"
        return f"{quoted}. Nothing was connected. Start again in a few minutes."
    if error.cause is Cause.APP:
        return (
            f"{name} rejected the app that Kalends uses there, so nothing was connected."
            f" Check the app's keys in Kalends, then start again. {name} said: {said}"
        )
    return refused(platform, error.message, error.code)


def missing_permissions(platform: ConnectionPlatform, missing: Collection[str]) -> str:
    """Explain that a consent doesn't cover publishing, and what to do."""
    card = CARDS[platform]
    scopes, advice = ", ".join(sorted(missing)), card.registration.permission_advice
    return f"{card.name} didn't grant {scopes}, so nothing was connected. {advice}"


def no_account(platform: ConnectionPlatform) -> str:
    """Explain that a consent covered nothing that can be connected."""
    card = CARDS[platform]
    return (
        f"{card.name} didn't give Kalends access to any account. Start again and choose {card.consent_opens}."
    )


def connected(names: Sequence[str], platform: ConnectionPlatform) -> str:
    """Name the connected accounts, at least one."""
    verb = "is" if len(names) == 1 else "are"
    return f"{_listed(names)} on {name_of(platform)} {verb} connected."


def another_account(expected: str, offered: Sequence[str], platform: ConnectionPlatform) -> str:
    """Explain that a different account gave its consent."""
    name = name_of(platform)
    granted = (
        f"gave access to {_listed(offered)} instead of {expected}"
        if offered
        else f"didn't give access to {expected}"
    )
    return f"{name} {granted}. Nothing was changed. Sign in to {name} as {expected}, then start again."


def _listed(names: Sequence[str]) -> str:
    """Join names for display; of many, only the first ones and the number of others."""
    if len(names) > _MOST_NAMED:
        return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


_TOKEN_BYTES: Final = 24

FLOWS_MAX: Final = 100
"""Maximum number of flows per account. Every call for the boards of an account without access starts one."""
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
    """Store a new flow. Of too many, the oldest are deleted, unless their access is being exchanged."""
    own = flows.c.account_id == flow["account_id"]
    newest = select(flows.c.connection_id).where(own).order_by(flows.c.created_at.desc()).limit(FLOWS_MAX - 1)
    others = flows.c.connection_id.not_in(newest) & (flows.c.stage != Stage.EXCHANGING.value)
    rows.execute(delete(flows).where(own, others))
    rows.execute(insert(flows).values(flow))


def by_state(rows: Rows, state: str, platform: str) -> Row[Any] | None:
    """Return the flow of a state on its platform."""
    found = _FLOWS.where(flows.c.state_hash == digest(state), flows.c.platform == platform)
    return rows.execute(found).one_or_none()


def returns_to(flow: Row[Any], path: str) -> bool:
    """Whether a response at a path is for this flow: each server of a network has a path of its own."""
    return flow.server is None or urlsplit(flow.callback_url).path == path


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


def needs_tidying(rows: Rows, now: datetime) -> bool:
    """Whether ``tidy`` would change anything. Usually it wouldn't, and a write takes a transaction."""
    return rows.scalars(_UNTIDY, _moments(now)).one()


def tidy(rows: Rows, now: datetime) -> None:
    """End expired choices, with their tokens, and delete old flows."""
    moments = _moments(now)
    rows.execute(_END_CHOICES, moments)
    rows.execute(_DELETE_OLD, moments)


def _moments(now: datetime) -> dict[str, datetime]:
    return {"now": now, "forgotten": now - _REMEMBERED}


_IS_EXPIRED_CHOICE: Final = (flows.c.stage == Stage.CHOOSING.value) & (flows.c.expires_at <= bindparam("now"))
_IS_OLD: Final = flows.c.expires_at < bindparam("forgotten")
_UNTIDY: Final = select(or_(exists().where(_IS_EXPIRED_CHOICE), exists().where(_IS_OLD)))
_END_CHOICES: Final = (
    update(flows)
    .where(_IS_EXPIRED_CHOICE)
    .values(stage=Stage.FAILED.value, outcome_words=EXPIRED, offered=None)
)
_DELETE_OLD: Final = delete(flows).where(_IS_OLD)
