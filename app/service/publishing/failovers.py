"""Failovers of the database server, after which rows may be missing.

A standby that replicates asynchronously may take over without the last transactions: claims, and attempts
whose calls were made. Each live process notices the failover by the server's timeline, and adds the attempts
of the calls that it knows. Until all processes have had time for this, nothing is claimed or sent.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from sqlalchemy import Connection, select

from app.database import Database, DatabaseUnreachableError
from app.database.committer import Work
from app.database.postgresql import timeline
from app.service.publishing import attempts
from app.service.publishing.attempts import Beginning
from app.service.publishing.clock import Timekeeper
from app.service.publishing.settings import PublishingSettings
from app.service.store.marks import since_failover

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class JournalCheck:
    """The comparison of the database with the journal.

    Attributes:
        prepare: Reads the journal and returns work that adds what the database lacks. Blocking. Raises
            OSError.
        done_on: The timeline of the server on which it was done at start; None if unknown.
    """

    prepare: Callable[[datetime], Work[None]]
    done_on: str | None


class Failovers:
    """Stops claims and calls after a failover until the database has been compared.

    Attributes:
        calls: The calls in progress by post, from the commit of an attempt until its outcome is written.
    """

    def __init__(
        self,
        owner: UUID,
        database: Database,
        time: Timekeeper,
        settings: PublishingSettings,
        check: JournalCheck | None = None,
    ) -> None:
        self._owner = owner
        self._database = database
        self._time = time
        self._settings = settings
        self._check = check
        self._compared = check.done_on if check else None
        """The timeline on which the database was last compared."""
        self._current: str | None = None
        """The timeline on which publishing may go on; None if unknown."""
        self._new: str | None = None
        """Another timeline that a session had."""
        self._over_at = timedelta()
        """When the pause is over, on the monotonic clock."""
        self.calls: dict[UUID, Beginning] = {}

    def allows(self, rows: Connection) -> bool:
        """Whether posts may be claimed and attempts begun in this transaction. For any thread."""
        return not self._is_new(rows) and (timeline(rows) is None or self._time.elapsed() >= self._over_at)

    def begin(self, beginning: Beginning, committed_on: str | None) -> bool:
        """Note a call that is about to begin; False if it mustn't, because the server has just changed.

        ``committed_on`` is the timeline of the session that committed the attempt.
        """
        # Calls noted before a new timeline was are part of the comparison. Later ones could be missed.
        if committed_on is not None and (self._new is not None or committed_on != self._current):
            return False
        self.calls[beginning.post.id] = beginning
        return True

    def end(self, post_id: UUID) -> None:
        """Note that the outcome of a post's call, if there was any, has been written."""
        self.calls.pop(post_id, None)

    def add_missing(self, rows: Connection, beginnings: Sequence[Beginning]) -> None:
        """Add attempts that may be missing because the database hasn't been compared yet."""
        if self._is_new(rows):
            self._add(rows, beginnings)

    def add_call(self, rows: Connection, post_id: UUID) -> None:
        """Like ``add_missing``, for a post's call in progress, if there is any."""
        if (call := self.calls.get(post_id)) is not None:
            self.add_missing(rows, [call])

    async def pause(self) -> timedelta:
        """Compare the database after a failover; return how long to claim nothing. Raises database errors."""
        if self._new is None and self._database.engine.dialect.name == "postgresql":
            await self._database.read(self._notice)
        if self._new is not None:
            await self._compare(self._new)
        return max(self._over_at - self._time.elapsed(), timedelta())

    def _notice(self, rows: Connection) -> bool:
        rows.scalar(select(1))  # an idle session may be one of a server that's gone
        return self._is_new(rows)

    def _is_new(self, rows: Connection) -> bool:
        """Raises DatabaseUnreachableError in a session of a former server."""
        found = timeline(rows)
        if found is None or found == self._current:
            return False
        if self._compared is not None and found < self._compared:  # of the same length
            # Only once it's returned, because other work may share its transaction.
            rows.connection.invalidate(soft=True)
            raise DatabaseUnreachableError(
                f"The database server is on timeline {found}, but another has taken over on {self._compared}."
            )
        self._new = found
        return True

    async def _compare(self, new: str) -> None:
        calls = tuple(self.calls.values())
        add_journaled: Work[None] | None = None
        if self._check is not None and new != self._compared:
            add_journaled = await asyncio.to_thread(self._check.prepare, self._time.now())

        def work(rows: Connection) -> timedelta | None:
            if (found := timeline(rows)) != new:
                self._new = found or new
                return None  # again, on the server that took over meanwhile
            if new != self._compared:
                attempts.forget_marks(rows)
            # First, so that these calls count as in progress.
            self._add(rows, calls)
            if add_journaled is not None:
                add_journaled(rows)
            since = since_failover(rows, new, self._compared)
            pause = self._settings.failover_pause
            return timedelta() if since is None else min(max(pause - since, timedelta()), pause)

        left = await self._database.write(work)
        if left is None:
            return
        if left:
            _log.warning(
                "another database server took over; nothing is sent for a while", seconds=left.total_seconds()
            )
        self._over_at = self._time.elapsed() + left
        self._current, self._compared, self._new = new, new, None

    def _add(self, rows: Connection, beginnings: Sequence[Beginning]) -> None:
        attempts.begin_again(rows, self._owner, beginnings, self._time.now() + self._settings.lease)
