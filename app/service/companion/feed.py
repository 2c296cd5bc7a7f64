"""The change feed: open event streams, and one query for all of them.

While there are streams, the database is queried after each commit of this process, on notifications from
other processes, and every half second unless it reports no change. Nothing is buffered for a slow client:
each stream continues from its position when there is room.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from pydantic import BaseModel
from sqlalchemy import Connection as Rows
from sqlalchemy import Select, Uuid, delete, func, literal, select, union_all

from app.contract.changes import ChangeKind, ConnectionChanged, DeliveryRecorded, MediaChanged, PostChanged
from app.contract.companion import AnyConnection, AnyPost
from app.database import Database
from app.service.accounts.accounts import Principal, still_good
from app.service.api.responses import RateLimitedError
from app.service.clock import Clock
from app.service.connections.rows import CONNECTION_COLUMNS
from app.service.posts.rows import ANY_POST_COLUMNS
from app.service.store.tables import changes, connections, deliveries, posts
from app.service.worker import DATABASE_ERRORS, PeriodicWorker


@dataclass(frozen=True, slots=True)
class Change:
    """One event of the stream; ``seq`` is its id."""

    seq: int
    kind: ChangeKind
    data: BaseModel


_NEWEST: Final = select(func.max(changes.c.seq))


def newest(rows: Rows) -> int:
    """Return the number of the latest change; 0 before the first one."""
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


_log = structlog.get_logger(__name__)

STREAMS_MAX: Final = 10
"""Maximum number of open streams per key."""
KEPT: Final = timedelta(days=1)
"""How long a stream can be resumed."""

_LOOK_EVERY_S: Final = 0.5
_KEYS_EVERY_S: Final = 2.0
"""How long an expired key may keep its stream while nothing changes, in s."""
_BREATH_S: Final = 0.01
"""Minimum time between queries, in s, so that commits in quick succession share one."""
_PAGE: Final = 100
_PRUNE_ROWS: Final = 1_000


@dataclass(eq=False, slots=True)
class _Listener:
    """One open stream."""

    account_id: UUID
    key_id: UUID
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    over: bool = False

    def end(self) -> None:
        self.over = True
        self.changed.set()

    async def wait(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.changed.wait()


class ChangeFeed(PeriodicWorker):
    """Event streams, one per listener. As a worker, it deletes old changes. For one event loop."""

    every = timedelta(minutes=10)
    trouble = "old changes could not be deleted; trying again later"

    def __init__(
        self, database: Database, clock: Clock, *, keep_alive: timedelta = timedelta(seconds=4)
    ) -> None:
        """``keep_alive`` is the longest silence of a stream, by which apps know that the service is up."""
        super().__init__()
        self._database = database
        self._clock = clock
        self._keep_alive_s = keep_alive.total_seconds()
        self._listeners: dict[_Listener, None] = {}  # ordered: simulated runs must be reproducible
        self._watching: asyncio.Task[None] | None = None

    def require_room(self, principal: Principal) -> None:
        """Raise RateLimitedError if the key has the maximum number of open streams."""
        if sum(one.key_id == principal.key_id for one in self._listeners) >= STREAMS_MAX:
            raise RateLimitedError(
                f"The key has {STREAMS_MAX} open streams, the most allowed. Close one first.",
                retry_after=self._keep_alive_s,
            )

    async def follow(
        self, principal: Principal, after: int | None
    ) -> AsyncGenerator[Change | int | None, None]:
        """Yield the account's changes after ``after``, while the key is valid and the service runs.

        Yields a number first if earlier changes must be read elsewhere, because there was no ``after`` or
        they were deleted. Yields None as a keep-alive.
        """
        with self._listening(principal) as listener:
            position = await self._database.read(lambda rows: _resume(rows, after))
            if position is None:
                position = await self._database.read(newest)
                yield position
            while not listener.over:
                listener.changed.clear()
                found = await self._read(listener, position)
                if found is None:
                    return
                for change in found:
                    yield change
                    position = change.seq
                if len(found) < _PAGE:
                    await listener.wait(self._keep_alive_s)
                    while not listener.changed.is_set():  # other accounts' changes aren't worth a query
                        yield None
                        await listener.wait(self._keep_alive_s)

    async def stop(self) -> None:
        """End all streams, and any opened from now on."""
        await super().stop()
        for listener in self._listeners:
            listener.end()

    @contextlib.contextmanager
    def _listening(self, principal: Principal) -> Iterator[_Listener]:
        listener = _Listener(principal.account_id, principal.key_id, over=self._stopping)
        self._listeners[listener] = None
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())
        try:
            yield listener
        finally:
            self._listeners.pop(listener, None)
            if not self._listeners and self._watching is not None:
                self._watching.cancel()
                self._watching = None

    async def _read(self, listener: _Listener, after: int) -> list[Change] | None:
        """Return a listener's next changes; None if its key is no longer valid."""
        now = self._clock()

        def work(rows: Rows) -> list[Change] | None:
            if not still_good(rows, [listener.key_id], now):
                return None
            return read_changes(rows, listener.account_id, after, _PAGE)

        return await self._database.read(work)

    async def _watch(self) -> None:
        loop, committed = asyncio.get_running_loop(), asyncio.Event()

        def hear() -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed, and nobody listens
                loop.call_soon_threadsafe(committed.set)

        ends = self._database.on_commit(hear), self._database.on_call("changes", hear)
        try:
            seen = await self._newest()
            for listener in self._listeners:  # they may have read earlier
                listener.changed.set()
            version, looked_at = None, loop.time()
            while True:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_EVERY_S):
                        await committed.wait()
                is_same = version is not None and version == self._database.version()
                if committed.is_set() or not is_same or loop.time() - looked_at >= _KEYS_EVERY_S:
                    committed.clear()
                    version, looked_at = self._database.version(), loop.time()
                    seen = await self._look(seen)
                    await asyncio.sleep(_BREATH_S)
        finally:
            for end in ends:
                end()

    async def _newest(self) -> int:
        while True:
            try:
                return await self._database.read(newest)
            except DATABASE_ERRORS:
                _log.exception("changes could not be read; trying again")
                await asyncio.sleep(_LOOK_EVERY_S)

    async def _look(self, seen: int) -> int:
        """Wake listeners with new changes, and end streams whose key is no longer valid."""
        keys, now = {one.key_id for one in self._listeners}, self._clock()
        accounts = {one.account_id for one in self._listeners}

        def work(rows: Rows) -> tuple[int, frozenset[UUID], frozenset[UUID]]:
            last = newest(rows)
            changed = concerned(rows, seen, accounts) if last > seen and accounts else frozenset()
            return last, changed, still_good(rows, keys, now)

        try:
            last, changed, good = await self._database.read(work)
        except DATABASE_ERRORS:
            _log.exception("changes could not be read; trying again")
            return seen
        for listener in self._listeners:
            if listener.key_id in keys - good:
                listener.end()
            elif listener.account_id in changed:
                listener.changed.set()
        return last

    async def _round(self) -> None:
        before = self._clock() - KEPT
        while await self._database.write(lambda rows: prune(rows, before, _PRUNE_ROWS)) == _PRUNE_ROWS:
            continue


def _resume(rows: Rows, after: int | None) -> int | None:
    return after if after is not None and can_resume(rows, after) else None
