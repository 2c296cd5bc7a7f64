"""Deletion of rows that nothing needs any more, in batches that block nobody for long."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Annotated, Final

import structlog
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import ColumnElement, Connection, Select, Table, and_, delete, exists, select, tuple_

from app.database import Database
from app.service.clock import Clock
from app.service.store.marks import forget_known
from app.service.store.tables import (
    attempts,
    idempotency_keys,
    metrics,
    posts,
    removed_posts,
    usage_counters,
)
from app.service.worker import PeriodicWorker

_log = structlog.get_logger(__name__)

JOURNAL_DAYS: Final = 91
"""Calls are journaled for 90 days. If their attempts were gone, the database would seem to be a backup."""

Days = Annotated[int, Field(ge=1, le=36_500)]


class RetentionSettings(BaseModel):
    """How long rows are kept, in days.

    Attributes:
        idempotency_keys: Keys of created posts. The API promises at least 30 days.
        attempts: Attempts to publish, after they ended.
        daily_metrics: Numbers of each day. Afterwards, only the newest of each published item are kept.
        usage: Counters of API calls, by month.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    idempotency_keys: Annotated[int, Field(ge=30, le=36_500)] = 90
    attempts: Annotated[int, Field(ge=JOURNAL_DAYS, le=36_500)] = 400
    daily_metrics: Days = 400
    usage: Days = 800


@dataclass(frozen=True, slots=True)
class Rule:
    """Rows of a table that may be deleted, found by an index."""

    table: Table
    old: ColumnElement[bool]


def rules(settings: RetentionSettings, now: datetime, rolled_up: date = date.min) -> Sequence[Rule]:
    """Return what may be deleted now. Numbers of days before ``rolled_up`` have been deleted already."""

    def before(days: int) -> datetime:
        return now - timedelta(days=days)

    pending = select(posts.c.id).where(
        posts.c.id == attempts.c.post_id, posts.c.status.not_in(["posted", "failed", "cancelled"])
    )
    removed = select(removed_posts.c.id).where(removed_posts.c.id == attempts.c.post_id)
    newer = metrics.alias("newer")
    is_superseded = exists().where(
        newer.c.connection_id == metrics.c.connection_id,
        newer.c.content_id == metrics.c.content_id,
        newer.c.metric_date > metrics.c.metric_date,
    )
    return (
        Rule(idempotency_keys, idempotency_keys.c.created_at < before(settings.idempotency_keys)),
        Rule(
            attempts,
            and_(
                attempts.c.started_at < before(settings.attempts),
                attempts.c.finished_at.is_not(None),
                ~pending.exists(),
                ~removed.exists(),
            ),
        ),
        Rule(
            metrics,
            and_(
                metrics.c.metric_date.between(rolled_up, before(settings.daily_metrics).date()),
                is_superseded,
            ),
        ),
        Rule(usage_counters, usage_counters.c.period < f"{before(settings.usage):%Y-%m}"),
    )


_LONGEST: Final = timedelta(milliseconds=20)
"""How long a batch should take. Meanwhile, other writes of this process wait."""
_FIRST_BATCH: Final = 100
_LARGEST_BATCH: Final = 5_000


def delete_batch(
    rows: Connection, table: Table, which: ColumnElement[bool], most: int, *, skip_locked: bool = False
) -> int:
    """Delete at most ``most`` rows; return how many.

    Waits for rows that others have locked. ``skip_locked`` leaves them for a later batch, so 0 doesn't mean
    that none is left.
    """
    keys = tuple(table.primary_key.columns)
    found: Select[tuple[object, ...]] = select(*keys).where(which).limit(most)
    old = rows.execute(found.with_for_update(skip_locked=skip_locked)).all()
    if not old:
        return 0
    rows.execute(delete(table).where(tuple_(*keys).in_([tuple(one) for one in old])))
    return len(old)


class Batches:
    """Deletes rows in batches whose size follows how long they take.

    ``clock`` returns seconds.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.perf_counter) -> None:
        self._database = database
        self._clock = clock
        self.size = _FIRST_BATCH

    async def delete(self, table: Table, which: ColumnElement[bool]) -> int:
        """Delete one batch; return how many rows."""
        most = self.size

        def work(rows: Connection) -> tuple[int, float]:
            began = self._clock()
            return delete_batch(rows, table, which, most, skip_locked=True), self._clock() - began

        count, took = await self._database.write(work)
        if took > _LONGEST.total_seconds():
            self.size = max(1, int(most * _LONGEST.total_seconds() / took / 2))
        elif count == most and took < _LONGEST.total_seconds() / 4:
            self.size = min(2 * most, _LARGEST_BATCH)
        return count


class Retention(PeriodicWorker):
    """Deletes old rows every hour. Several processes can do this simultaneously."""

    every = timedelta(hours=1)
    trouble = "old rows could not be deleted; trying again"

    def __init__(self, database: Database, settings: RetentionSettings, clock: Clock) -> None:
        super().__init__()
        self._database = database
        self._settings = settings
        self._clock = clock
        self._batches = Batches(database)
        self._rolled_up = date.min
        """Before this day, only the newest numbers of each item are left."""

    async def _round(self) -> timedelta | None:
        """Delete one batch of each table, and continue soon while there is more."""
        now = self._clock()
        counts = {
            rule.table.name: await self._batches.delete(rule.table, rule.old)
            for rule in rules(self._settings, now, self._rolled_up)
        }
        await self._database.write(lambda rows: forget_known(rows, now - timedelta(days=JOURNAL_DAYS)))
        deleted = {name: count for name, count in counts.items() if count}
        if not counts[metrics.name]:
            self._rolled_up = (now - timedelta(days=self._settings.daily_metrics)).date()
        if not deleted:
            return None
        _log.debug("deleted old rows", **deleted)
        return _PAUSE


_PAUSE: Final = timedelta(milliseconds=200)
"""Pause between two batches, which leaves others most of the time."""
