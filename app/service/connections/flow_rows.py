"""Browser flows as rows. A stage only changes from the one that was read, so each flow ends once."""

import hashlib
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection as Rows
from sqlalchemy import Row, delete, insert, select, update

from app.service.connections import words
from app.service.connections.ends import Stage
from app.service.store.tables import accounts, connections
from app.service.store.tables import connection_flows as flows

_REMEMBERED: Final = timedelta(days=1)
"""How long after its end a flow's page can be reloaded."""

_FLOWS: Final = select(flows, accounts.c.name.label("owner")).join(
    accounts, accounts.c.id == flows.c.account_id
)
"""Flows with the name of the account that gets the connections."""


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
