"""The log of changes: positions in it, reading from a position on, and deleting what is old.

Writers on PostgreSQL don't wait for each other, so changes become visible in any order. A reader that simply
continued after the last one it saw would skip those of slower transactions. The log is therefore ordered by
transaction, and ends before the oldest transaction that is still running: everything below has been decided.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Self
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    Uuid,
    delete,
    func,
    literal,
    select,
    tuple_,
    union_all,
)
from sqlalchemy import Connection as Rows
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from app.contract.changes import ChangeKind, ConnectionChanged, DeliveryRecorded, MediaChanged, PostChanged
from app.contract.companion import AnyConnection, AnyPost
from app.service.connections.rows import CONNECTION_COLUMNS
from app.service.posts.rows import ANY_POST_COLUMNS
from app.service.store.tables import changes, connections, deliveries, posts

_EVENT_ID: Final = re.compile(r"(?:(?P<transaction>[0-9]{1,18})\.)?(?P<seq>[0-9]{1,18})", re.ASCII)


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in the log, after the change with these numbers.

    Attributes:
        transaction_id: 0 on SQLite, and for changes that programs of earlier versions numbered.
        seq: The change's number; 0 is before all changes of the transaction.
    """

    transaction_id: int
    seq: int

    @classmethod
    def parse(cls, event_id: str) -> Self | None:
        """Return the position of an event; None if its ID is invalid."""
        found = _EVENT_ID.fullmatch(event_id)
        return None if found is None else cls(int(found["transaction"] or 0), int(found["seq"]))

    def __str__(self) -> str:
        """Return the ID of the event."""
        return f"{self.transaction_id}.{self.seq}" if self.transaction_id else str(self.seq)


@dataclass(frozen=True, slots=True)
class Change:
    """One event of the stream."""

    position: Position
    kind: ChangeKind
    data: BaseModel


@dataclass(frozen=True, slots=True)
class Concerned:
    """The accounts with changes after a position.

    Attributes:
        now: Those whose changes can be read.
        soon: Those whose changes are committed, but come after a transaction that is still running.
    """

    now: frozenset[UUID] = frozenset()
    soon: frozenset[UUID] = frozenset()


class _Undecided(FunctionElement[int]):
    """The lowest transaction ID whose changes may still appear."""

    inherit_cache = True
    type = BigInteger()


@compiles(_Undecided)
def _compile_undecided(_element: object, _compiler: object, **_more: object) -> str:
    return "9223372036854775807"  # one writer at a time


@compiles(_Undecided, "postgresql")
def _compile_undecided_on_postgresql(_element: object, _compiler: object, **_more: object) -> str:
    return "CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint)"


_UNDECIDED: Final = _Undecided()
_PLACE: Final = tuple_(changes.c.transaction_id, changes.c.seq)
_IN_ORDER: Final = (changes.c.transaction_id, changes.c.seq)


def newest(rows: Rows) -> Position:
    """Return the end of the log: all changes up to here can be read, and no more will appear before it."""
    if rows.dialect.name == "postgresql":
        return Position(rows.execute(select(_UNDECIDED)).scalar_one(), 0)
    return Position(0, rows.scalar(select(func.max(changes.c.seq))) or 0)


def resume(rows: Rows, account_id: UUID, after: Position) -> Position | None:
    """Return where an account's stream continues; None if changes since then were deleted, or never given."""
    end = newest(rows)
    if after.transaction_id:
        oldest = rows.execute(select(*_IN_ORDER).order_by(*_IN_ORDER).limit(1)).first()
        is_there = oldest is not None and Position(*oldest) <= after <= end
        return after if is_there else None
    oldest_number, newest_number = rows.execute(select(_extreme(func.min), _extreme(func.max))).one()
    if not (oldest_number or 1) - 1 <= after.seq <= (newest_number or 0):
        return None
    if not end.transaction_id:
        return after
    # A program of an earlier version gave this number, and its order was that of numbers.
    later = (
        select(*_IN_ORDER)
        .where(changes.c.account_id == account_id, changes.c.seq > after.seq, _is_decided())
        .order_by(*_IN_ORDER)
        .limit(1)
    )
    first = rows.execute(later).first()
    return end if first is None else Position(first.transaction_id, first.seq - 1)


def concerned(rows: Rows, after: Position, account_ids: Collection[UUID]) -> Concerned:
    """Return the accounts with changes after ``after``. Requires at least one account."""
    undecided, found = newest(rows).transaction_id, rows.execute(concerned_accounts(after, account_ids)).all()
    soon = frozenset(row.id for row in found if row.transaction_id >= undecided > 0)
    return Concerned(frozenset(row.id for row in found) - soon, soon)


def concerned_accounts(after: Position, account_ids: Collection[UUID]) -> Select[UUID, int]:
    """Look up each account separately, so that other accounts' changes aren't read."""
    accounts = union_all(*(select(literal(one, Uuid).label("id")) for one in account_ids)).subquery()
    next_of = (
        select(changes.c.transaction_id)
        .where(changes.c.account_id == accounts.c.id, _is_after(after))
        .order_by(*_IN_ORDER)
        .limit(1)
        .scalar_subquery()
    )
    found = select(accounts.c.id, next_of.label("transaction_id")).subquery()
    return select(found.c.id, found.c.transaction_id).where(found.c.transaction_id.is_not(None))


def changes_of(account_id: UUID, after: Position, limit: int) -> Select[int, int, str, str]:
    """Numbers, kind and subject of the account's changes after ``after``, in order."""
    return (
        select(changes.c.transaction_id, changes.c.seq, changes.c.kind, changes.c.subject)
        .where(changes.c.account_id == account_id, _is_after(after), _is_decided())
        .order_by(*_IN_ORDER)
        .limit(limit)
    )


def read_changes(rows: Rows, account_id: UUID, after: Position, limit: int) -> list[Change]:
    """Return the account's changes after ``after``, in order."""
    found = rows.execute(changes_of(account_id, after, limit)).all()
    subjects: dict[ChangeKind, set[str]] = {}
    for row in found:
        subjects.setdefault(ChangeKind(row.kind), set()).add(row.subject)
    current = {kind: _LOADERS[kind](rows, account_id, named) for kind, named in subjects.items()}
    return [
        Change(
            Position(row.transaction_id, row.seq),
            ChangeKind(row.kind),
            current[ChangeKind(row.kind)][row.subject],
        )
        for row in found
    ]


def prune(rows: Rows, before: datetime, limit: int) -> int:
    """Delete at most ``limit`` changes older than ``before``, from the beginning; return how many.

    The latest change stays, to tell positions that were given from those that weren't.
    """
    columns = (changes.c.seq, changes.c.created_at)
    oldest = rows.execute(select(*columns).order_by(*_IN_ORDER).limit(limit + 1)).all()
    young = next((at for at, row in enumerate(oldest) if row.created_at >= before), len(oldest))
    past = [row.seq for row in oldest[: min(young, len(oldest) - 1)]]
    if past:
        rows.execute(delete(changes).where(changes.c.seq.in_(past)))
    return len(past)


def _extreme(of: Callable[[ColumnElement[int]], ColumnElement[int]]) -> ColumnElement[int]:
    """Return the lowest or highest number, looked up in the index."""
    return select(of(changes.c.seq)).scalar_subquery()


def _is_after(position: Position) -> ColumnElement[bool]:
    return tuple_(literal(position.transaction_id), literal(position.seq)) < _PLACE


def _is_decided() -> ColumnElement[bool]:
    return changes.c.transaction_id < _UNDECIDED


def _posts(rows: Rows, account_id: UUID, subjects: Iterable[str]) -> Mapping[str, BaseModel]:
    ids = {subject: UUID(subject) for subject in subjects}
    found = select(*ANY_POST_COLUMNS).where(posts.c.id.in_(ids.values()), posts.c.account_id == account_id)
    there = {row.id: AnyPost.model_validate(row, from_attributes=True) for row in rows.execute(found)}
    return {subject: PostChanged(id=one, post=there.get(one)) for subject, one in ids.items()}


def _connections(rows: Rows, account_id: UUID, subjects: Iterable[str]) -> Mapping[str, BaseModel]:
    ids = {subject: UUID(subject) for subject in subjects}
    found = select(*CONNECTION_COLUMNS).where(
        connections.c.id.in_(ids.values()), connections.c.account_id == account_id
    )
    there = {row.id: AnyConnection.model_validate(row, from_attributes=True) for row in rows.execute(found)}
    return {subject: ConnectionChanged(id=one, connection=there.get(one)) for subject, one in ids.items()}


def _media(_rows: Rows, _account_id: UUID, subjects: Iterable[str]) -> Mapping[str, BaseModel]:
    return {subject: MediaChanged(storage_path=subject) for subject in subjects}


def _deliveries(rows: Rows, _account_id: UUID, subjects: Iterable[str]) -> Mapping[str, BaseModel]:
    ids = {subject: UUID(subject) for subject in subjects}
    found = select(deliveries.c.id, deliveries.c.subscription_id).where(deliveries.c.id.in_(ids.values()))
    there: dict[Any, Any] = {row.id: row.subscription_id for row in rows.execute(found)}
    return {subject: DeliveryRecorded(id=one, subscription_id=there.get(one)) for subject, one in ids.items()}


_Loader = Callable[[Rows, UUID, Iterable[str]], Mapping[str, BaseModel]]
_LOADERS: Final[Mapping[ChangeKind, _Loader]] = {
    ChangeKind.POST: _posts,
    ChangeKind.CONNECTION: _connections,
    ChangeKind.MEDIA: _media,
    ChangeKind.DELIVERY: _deliveries,
}
