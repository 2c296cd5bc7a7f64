"""Changes for the event stream, read in the order of their numbers, with the objects' current state."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import Connection as Rows
from sqlalchemy import Select, Uuid, delete, func, literal, select, union_all

from app.contract.companion import (
    ChangeKind,
    ConnectionChanged,
    DeliveryRecorded,
    MediaChanged,
    PostChanged,
)
from app.contract.connections import Connection
from app.service.connections.rows import CONNECTION_COLUMNS
from app.service.posts.rows import POST_COLUMNS, as_post
from app.service.store.reach import Reach
from app.service.store.tables import changes, connections, deliveries, posts


@dataclass(frozen=True, slots=True)
class Change:
    """One event of the stream; ``seq`` is its id."""

    seq: int
    kind: ChangeKind
    data: BaseModel


_REACH: Final = Reach.SPECIFIED
"""The app doesn't show companion networks yet: it's told of their rows as of ones that are gone."""
_NEWEST: Final = select(func.max(changes.c.seq))


def newest(rows: Rows) -> int:
    """Return the number of the latest change; 0 if there is none."""
    return rows.scalar(_NEWEST) or 0


def can_resume(rows: Rows, after: int) -> bool:
    """Whether all changes after number ``after`` are still stored."""
    oldest = rows.scalar(select(func.min(changes.c.seq))) or 1
    return oldest - 1 <= after <= newest(rows)


def concerned(rows: Rows, after: int, account_ids: Collection[UUID]) -> frozenset[UUID]:
    """Return the accounts with a change after number ``after``. Requires at least one account."""
    return frozenset(rows.scalars(concerned_accounts(after, account_ids)))


def concerned_accounts(after: int, account_ids: Collection[UUID]) -> Select[UUID]:
    """Look up each account separately, so that other accounts' changes aren't read."""
    accounts = union_all(*(select(literal(one, Uuid).label("id")) for one in account_ids)).subquery()
    newest_of = (
        select(changes.c.seq)
        .where(changes.c.account_id == accounts.c.id, changes.c.seq > after)
        .order_by(changes.c.seq)
        .limit(1)
        .scalar_subquery()
    )
    return select(accounts.c.id).where(newest_of.is_not(None))


def changes_of(account_id: UUID, after: int, limit: int) -> Select[int, str, str]:
    """Number, kind and subject of the account's changes after ``after``, in order."""
    return (
        select(changes.c.seq, changes.c.kind, changes.c.subject)
        .where(changes.c.seq > after, changes.c.account_id == account_id)
        .order_by(changes.c.seq)
        .limit(limit)
    )


def read_changes(rows: Rows, account_id: UUID, after: int, limit: int) -> list[Change]:
    """Return the account's changes after number ``after``, in order."""
    found = rows.execute(changes_of(account_id, after, limit)).all()
    subjects: dict[ChangeKind, set[str]] = {}
    for row in found:
        subjects.setdefault(ChangeKind(row.kind), set()).add(row.subject)
    current = {kind: _LOADERS[kind](rows, account_id, named) for kind, named in subjects.items()}
    return [
        Change(row.seq, ChangeKind(row.kind), current[ChangeKind(row.kind)][row.subject]) for row in found
    ]


def prune(rows: Rows, before: datetime, limit: int) -> int:
    """Delete at most ``limit`` changes older than ``before``; return how many.

    The latest change stays, to tell numbers that were assigned from those that weren't.
    """
    oldest = select(changes.c.seq).order_by(changes.c.seq).limit(limit)
    past = delete(changes).where(
        changes.c.seq.in_(oldest),
        changes.c.created_at < before,
        changes.c.seq < select(func.max(changes.c.seq)).scalar_subquery(),
    )
    return rows.execute(past).rowcount


def _posts(rows: Rows, account_id: UUID, subjects: Iterable[str]) -> Mapping[str, BaseModel]:
    ids = {subject: UUID(subject) for subject in subjects}
    found = select(*POST_COLUMNS).where(
        posts.c.id.in_(ids.values()), posts.c.account_id == account_id, _REACH.takes(posts.c.platform)
    )
    there = {row.id: as_post(row) for row in rows.execute(found)}
    return {subject: PostChanged(id=one, post=there.get(one)) for subject, one in ids.items()}


def _connections(rows: Rows, account_id: UUID, subjects: Iterable[str]) -> Mapping[str, BaseModel]:
    ids = {subject: UUID(subject) for subject in subjects}
    found = select(*CONNECTION_COLUMNS).where(
        connections.c.id.in_(ids.values()),
        connections.c.account_id == account_id,
        _REACH.takes(connections.c.platform),
    )
    there = {row.id: Connection.model_validate(row, from_attributes=True) for row in rows.execute(found)}
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
