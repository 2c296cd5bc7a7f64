"""Pauses of one connected account, of all those of an account, or of the whole queue.

Paused posts keep their time. After the pause they're published if they're no later than ``grace``. Accounts
that have moved to another service are paused here.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, delete, exists, null, or_, select, union, update

from app.database.dialects import upsert
from app.service.problems import CommandProblem
from app.service.store.tables import accounts, connections, marks, posts

_EVERYTHING: Final = "paused"


@dataclass(frozen=True, slots=True)
class Paused:
    """The current pauses: the whole queue, or single connected accounts."""

    everything: bool = False
    connections: frozenset[UUID] = frozenset()

    def covers(self, connection_id: UUID) -> bool:
        return self.everything or connection_id in self.connections


_IN_PAUSE: Final = or_(
    connections.c.paused_at.is_not(None), accounts.c.paused_at.is_not(None), accounts.c.moved_at.is_not(None)
)
_QUEUE_IS_PAUSED: Final = exists().where(marks.c.name == _EVERYTHING)
_CONNECTIONS: Final = select(connections.c.id).join(accounts, accounts.c.id == connections.c.account_id)
_PAUSED: Final = union(
    # One query for each column, because each has an index of its own.
    *(
        _CONNECTIONS.where(moment.is_not(None))
        for moment in (connections.c.paused_at, accounts.c.paused_at, accounts.c.moved_at)
    ),
    select(null()).where(_QUEUE_IS_PAUSED),
)
"""The paused connections, and NULL if the whole queue is paused."""
ANYTHING_PAUSED: Final = or_(
    exists().where(connections.c.paused_at.is_not(None)),
    exists().where(accounts.c.paused_at.is_not(None)),
    exists().where(accounts.c.moved_at.is_not(None)),
    _QUEUE_IS_PAUSED,
)
"""The condition that ``read_paused`` may find something."""


def read_paused(rows: Connection) -> Paused:
    """Return the current pauses."""
    found = set(rows.scalars(_PAUSED))
    return Paused(None in found, frozenset(found - {None}))


def is_paused() -> ColumnElement[bool]:
    """Return the condition for a paused row of ``posts``."""
    its_account = (
        select(connections.c.id)
        .join(accounts, accounts.c.id == connections.c.account_id)
        .where(connections.c.id == posts.c.connection_id, _IN_PAUSE)
    )
    return its_account.exists() | _QUEUE_IS_PAUSED


def pause_connection(rows: Connection, connection_id: UUID, at: datetime | None) -> None:
    """Pause a connected account; None resumes it. Raises CommandProblem for an unknown one."""
    this = update(connections).where(connections.c.id == connection_id)
    if not rows.execute(this.values(paused_at=at)).rowcount:
        raise CommandProblem(f"There is no connection {connection_id}. Check the id given to --connection.")


def pause_account(rows: Connection, account_id: UUID, at: datetime | None) -> None:
    """Pause or resume all connected accounts of an account. Raises CommandProblem for an unknown one."""
    this = update(accounts).where(accounts.c.id == account_id)
    if not rows.execute(this.values(paused_at=at)).rowcount:
        raise CommandProblem(f"There is no account {account_id}. Check the id given to --account.")


def pause_queue(rows: Connection, at: datetime | None) -> None:
    """Pause or resume publishing for everyone."""
    if at is None:
        rows.execute(delete(marks).where(marks.c.name == _EVERYTHING))
    else:
        since = at.astimezone(UTC).isoformat()
        rows.execute(upsert(rows, marks).values(name=_EVERYTHING, value=since).on_conflict_do_nothing())
