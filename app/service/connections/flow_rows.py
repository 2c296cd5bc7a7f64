"""Browser flows as rows. A stage changes only from the one that was read, so that each flow ends once."""

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
"""How long after its end a flow's page can still be reloaded."""

_FLOWS: Final = select(flows, accounts.c.name.label("owner")).join(
    accounts, accounts.c.id == flows.c.account_id
)
"""Flows with the name of the account that gets what is connected."""


def digest(secret: str) -> str:
    """What is stored of a state, or of the secret in a choice page's address."""
    return hashlib.sha256(secret.encode()).hexdigest()


def add(rows: Rows, flow: dict[str, Any]) -> None:
    """Stores a flow that begins."""
    rows.execute(insert(flows).values(flow))


def by_state(rows: Rows, state: str, platform: str) -> Row[Any] | None:
    """The flow of a state, on the platform that it was made for."""
    found = _FLOWS.where(flows.c.state_hash == digest(state), flows.c.platform == platform)
    return rows.execute(found).one_or_none()


def platform_of(rows: Rows, state: str, account_id: UUID) -> str | None:
    """The platform of an account's flow with this state."""
    found = select(flows.c.platform).where(
        flows.c.state_hash == digest(state), flows.c.account_id == account_id
    )
    platform: str | None = rows.scalar(found)
    return platform


def of_account(rows: Rows, connection_id: UUID, account_id: UUID) -> Row[Any] | None:
    """An account's flow by the id that its connection was promised."""
    found = _FLOWS.where(flows.c.connection_id == connection_id, flows.c.account_id == account_id)
    return rows.execute(found).one_or_none()


def by_choice(rows: Rows, token: str) -> Row[Any] | None:
    """The flow whose choice page has this secret in its address."""
    return rows.execute(_FLOWS.where(flows.c.choice_hash == digest(token))).one_or_none()


def advance(rows: Rows, flow: Row[Any], stage: Stage, **columns: Any) -> bool:
    """Moves the flow on from the stage that it was read in; False when somebody else has moved it.

    What was offered is forgotten unless ``columns`` offer it now.
    """
    moved = rows.execute(
        update(flows)
        .where(flows.c.connection_id == flow.connection_id, flows.c.stage == flow.stage)
        .values(**{"stage": stage.value, "offered": None, **columns})
    )
    return bool(moved.rowcount)


def set_result(rows: Rows, flow: Row[Any], connection_id: UUID) -> None:
    """Writes down which connection the flow led to."""
    same = flows.c.connection_id == flow.connection_id
    rows.execute(update(flows).where(same).values(result_connection_id=connection_id))


def reread(rows: Rows, flow: Row[Any]) -> Row[Any]:
    """The flow as it is now."""
    return rows.execute(_FLOWS.where(flows.c.connection_id == flow.connection_id)).one()


def expected_account(rows: Rows, flow: Row[Any]) -> Row[Any]:
    """The connection that the flow authorizes again."""
    return rows.execute(select(connections).where(connections.c.id == flow.reauthorizes)).one()


def tidy(rows: Rows, now: datetime) -> None:
    """Ends choices that nobody made in time, with the tokens they held, and forgets flows of long ago."""
    rows.execute(
        update(flows)
        .where(flows.c.stage == Stage.CHOOSING.value, flows.c.expires_at <= now)
        .values(stage=Stage.FAILED.value, outcome_words=words.EXPIRED, offered=None)
    )
    rows.execute(delete(flows).where(flows.c.expires_at < now - _REMEMBERED))
