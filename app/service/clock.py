"""Clocks: the computer's, the database's, and one corrected by platforms."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog
from sqlalchemy import Connection, text

from app.contract.enums import ConnectionPlatform
from app.database import Database
from app.platforms.base import TimeSource
from app.service.worker import DATABASE_ERRORS, PeriodicWorker

Clock = Callable[[], datetime]
"""Returns the current time, aware, in UTC."""

_log = structlog.get_logger(__name__)

_NOW: Final = text("SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
TOLERATED: Final = timedelta(seconds=2)
"""Maximum difference between a machine's clock and the database's."""

_SECOND: Final = timedelta(seconds=1)
"""The resolution of a ``Date`` header."""
_TOLERATED: Final = timedelta(seconds=1)
_JUMP: Final = timedelta(seconds=2)
_SLOWEST_ANSWER: Final = timedelta(seconds=10)
"""Responses that took longer say too little about the time."""


def system_clock() -> datetime:
    """Return the machine's time, truncated to ms, so that it equals what is read back from the store."""
    return datetime.fromtimestamp(time.time_ns() // 1_000_000 / 1_000, UTC)


class DatabaseClock(PeriodicWorker):
    """The database's time, measured every second and continued by the monotonic clock.

    Never ahead of the database: a measurement counts from when its response arrived. It may be behind between
    measurements, for example after a suspend, which stops the monotonic clock.
    """

    every = timedelta(seconds=1)

    def __init__(
        self,
        database: Database,
        machine: Clock = system_clock,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the first measurement. Blocking. Raises DatabaseError."""
        super().__init__()
        self._database = database
        self._machine = machine
        self._steady = steady
        self._offset = timedelta.min
        self._measured: datetime
        self._machine_then: datetime
        self._steady_then: float
        self._took = timedelta()
        self._skew = timedelta()
        self._reported = False
        database.read_now(self._measure)
        self._report_skew()

    def __call__(self) -> datetime:
        """Return the time; never later than the database's."""
        return _cut(_EPOCH + self._offset + timedelta(seconds=self._steady()))

    def latest(self) -> datetime:
        """Return the latest that the database's time could be, even if this machine was suspended."""
        passed = max(
            timedelta(seconds=self._steady() - self._steady_then), self._machine() - self._machine_then
        )
        return max(self(), self._measured + self._took + passed)

    @property
    def skew(self) -> timedelta:
        """How far the machine's clock is at least ahead of the database's; negative if behind."""
        return self._skew

    def wrong_by_seconds(self) -> int | None:
        """Seconds the machine's clock is ahead, or behind if negative; None if close enough to publish."""
        return None if abs(self._skew) <= TOLERATED else round(self._skew.total_seconds())

    @property
    def problem(self) -> str | None:
        """Why this machine must not publish; None if its clock agrees with the database's."""
        seconds = self.wrong_by_seconds()
        if seconds is None:
            return None
        where = "ahead of" if seconds > 0 else "behind"
        return (
            f"This machine's clock is {abs(seconds)} seconds {where} the database server's. "
            "It publishes nothing until they agree. Have both set by NTP."
        )

    def heard(self, source: TimeSource, theirs: datetime, asked: float) -> None:
        """Ignore the platforms' time."""

    async def _round(self) -> None:
        await self.measure()

    async def measure(self) -> None:
        """Measure now. Without a response, nothing changes."""
        try:
            await self._database.read(self._measure)
        except DATABASE_ERRORS:
            return  # the next database access reports it
        self._report_skew()

    def _report_skew(self) -> None:
        """Log when the clock is found wrong, and when it is right again."""
        if self.problem and not self._reported:
            _log.error("this machine's clock is wrong", reason=self.problem)
        elif self._reported and not self.problem:
            _log.warning("this machine's clock agrees with the database's again")
        self._reported = self.problem is not None

    def _measure(self, rows: Connection) -> None:
        machine_before, before = self._machine(), self._steady()
        theirs = _EPOCH + timedelta(milliseconds=rows.execute(_NOW).scalar_one())
        machine_after, after = self._machine(), self._steady()
        self._note(theirs, (machine_before, before), (machine_after, after))

    def _note(self, theirs: datetime, before: tuple[datetime, float], after: tuple[datetime, float]) -> None:
        """Record that the database's clock showed ``theirs`` at some moment between the two."""
        at_least = theirs - _EPOCH - timedelta(seconds=after[1])
        at_most = theirs - _EPOCH - timedelta(seconds=before[1])
        # The known offset may be more precise, unless the server's clock has changed since.
        if not at_least <= self._offset <= at_most:
            self._offset = at_least
        self._measured, self._took = theirs, timedelta(seconds=after[1] - before[1])
        self._machine_then, self._steady_then = after
        ahead, behind = before[0] - theirs, theirs - after[0]
        self._skew = max(ahead, timedelta()) or -max(behind, timedelta())


def _cut(moment: datetime) -> datetime:
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


@dataclass(frozen=True, slots=True)
class _Lead:
    """How far the computer's clock is ahead of a platform's, by the platform's responses.

    Attributes:
        most: How far at most.
        is_certain: Whether it's certain that the clock is ahead, or that it isn't.
    """

    most: timedelta
    is_certain: bool

    @property
    def length(self) -> timedelta:
        """How far to hold the clock back."""
        return self.most if self.most > _SECOND + _TOLERATED else timedelta()


class PlatformClock:
    """The time of an embedded service, corrected by the platforms'.

    A response contains the platform's time, to a second. If our clock was certainly later even before the
    request, it is ahead, and this clock uses the platform's time instead. It is never moved forward: a
    platform with a wrong clock can make posts late, but never early. Of several platforms, the one closest to
    our clock counts. How far our clock is behind each platform is also known, for deadlines that a platform
    sets.

    A slow response leaves open whether our clock is ahead or the platform's time is old. It counts as ahead,
    but only as long as no other response is certain.

    Servers that users name count until a platform has answered, since anyone could run one, with any time.
    No deadline depends on them.

    When the clock has jumped, nothing counts that was heard before. Without any response, this is the
    computer's clock.
    """

    def __init__(self, machine: Clock = system_clock, steady: Callable[[], float] = time.monotonic) -> None:
        self._machine = machine
        self._steady = steady
        self._leads: dict[TimeSource, _Lead] = {}
        """By each source heard since the computer's clock last jumped."""
        self._lead = timedelta()
        self._behind: dict[ConnectionPlatform, timedelta] = {}
        self._seen = machine(), steady()
        self._heard_at = self._seen
        self._uncertain_since = self._seen[1]
        """When this was created or the clock last jumped, on the monotonic clock."""

    def __call__(self) -> datetime:
        """Return the time; never later than platforms prove."""
        return self._look()[0] - self._lead

    @property
    def lead(self) -> timedelta:
        """How far the computer's clock is known to be ahead."""
        return self._lead

    def behind(self, platform: ConnectionPlatform) -> timedelta:
        """How far the computer's clock may be behind a platform's, as far as platforms have answered."""
        self._look()
        known = self._behind.get(platform)
        return max(self._behind.values(), default=timedelta()) if known is None else known

    def is_proven(self, *, by_servers: bool = False) -> bool:
        """Whether a platform has answered since the clock last jumped; ``by_servers``: or any server."""
        self._look()
        return bool(self._leads) if by_servers else bool(self._behind)

    @property
    def uncertain_for(self) -> timedelta:
        """How long ago the clock was created or jumped."""
        return timedelta(seconds=self._look()[1] - self._uncertain_since)

    @property
    def heard_ago(self) -> timedelta:
        """How long ago the last answer arrived."""
        return timedelta(seconds=self._steady() - self._heard_at[1])

    async def run(self) -> None:
        """Do nothing: this clock learns from calls that are made anyway."""

    async def stop(self) -> None:
        """Do nothing."""

    def heard(self, source: TimeSource, theirs: datetime, asked: float) -> None:
        """Record the time in a response to a call made at ``asked`` on the monotonic clock."""
        now, steady = self._look()
        took = timedelta(seconds=steady - asked)
        # The clock may have been set during the call, or the computer suspended.
        if took > _SLOWEST_ANSWER or asked < self._uncertain_since:
            return
        self._leads[source] = self._lead_by(source, now - theirs, took)
        self._heard_at = now, steady
        if not source.server:
            self._behind[source.platform] = theirs - now if theirs - now > _TOLERATED else timedelta()
        heard = [lead for one, lead in self._leads.items() if not one.server] or self._leads.values()
        certain = [lead for lead in heard if lead.is_certain]
        self._follow(min(lead.length for lead in certain or heard))

    def _lead_by(self, source: TimeSource, most: timedelta, took: timedelta) -> _Lead:
        """Return how far our clock is ahead by a response, and by earlier ones unless they disagree."""
        least = most - took - _SECOND
        is_certain = least > _TOLERATED or most <= _SECOND + _TOLERATED
        known = self._leads.get(source)
        if known is None or known.most < least:
            return _Lead(most, is_certain)
        return _Lead(min(most, known.most), is_certain or known.is_certain)

    def _look(self) -> tuple[datetime, float]:
        """Return both clocks' times. If they disagree with earlier ones, nothing is known any more.

        Either the clock was set, or the computer was suspended, which stops the monotonic clock.
        """
        seen = self._machine(), self._steady()
        if _is_jump(self._seen, seen) or _is_jump(self._heard_at, seen):
            self._leads.clear()
            self._behind.clear()
            self._heard_at = seen
            self._uncertain_since = seen[1]
        self._seen = seen
        return seen

    def _follow(self, lead: timedelta) -> None:
        if abs(lead - self._lead) > _JUMP:
            _log.warning(
                "the computer's clock is ahead; posts are published by the platforms' time"
                if lead
                else "the computer's clock agrees with the platforms again",
                seconds=lead.total_seconds(),
            )
            self._lead = lead
        else:  # the smaller one is the more precise: responses are never early
            self._lead = min(lead, self._lead)


def _is_jump(before: tuple[datetime, float], after: tuple[datetime, float]) -> bool:
    """Whether either clock jumped between two readings of both."""
    return abs((after[0] - before[0]) - timedelta(seconds=after[1] - before[1])) > _JUMP


def make_clock(database: Database, *, alone: bool) -> PlatformClock | DatabaseClock:
    """Return the clock of this process. Blocking. Raises DatabaseError.

    Claims are made by it, so commands that read them need it, too. ``alone`` is the installation's.
    """
    return PlatformClock() if alone else DatabaseClock(database)
