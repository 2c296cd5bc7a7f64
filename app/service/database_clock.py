"""The database's clock: the one time for all processes of an installation on PostgreSQL."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog
from sqlalchemy import Connection, text

from app.contract.enums import ConnectionPlatform
from app.database import Database
from app.service.clock import Clock, system_clock
from app.service.worker import DATABASE_ERRORS, PeriodicWorker

_log = structlog.get_logger(__name__)

_NOW: Final = text("SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
TOLERATED: Final = timedelta(seconds=2)
"""How far a machine's clock may be from the database's."""


class DatabaseClock(PeriodicWorker):
    """The database's time, measured every second and carried on by a clock that never jumps.

    It is never ahead of the database: a measurement counts as made when its answer had arrived. Between
    measurements it may be behind, as after a suspend, when the steady clock stood still.
    """

    every = timedelta(seconds=1)

    def __init__(
        self,
        database: Database,
        machine: Clock = system_clock,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        """Measures for the first time. Blocking. Raises DatabaseError."""
        super().__init__()
        self._database = database
        self._machine = machine
        self._steady = steady
        self._offset = timedelta.min
        self._told: datetime
        self._machine_then: datetime
        self._steady_then: float
        self._took = timedelta()
        self._skew = timedelta()
        self._reported = False
        database.read_now(self._measure)
        self._report_skew()

    def __call__(self) -> datetime:
        """The time; never later than the database's."""
        return _cut(_EPOCH + self._offset + timedelta(seconds=self._steady()))

    def latest(self) -> datetime:
        """The latest that it may be in the database, however long this machine stood still."""
        passed = max(
            timedelta(seconds=self._steady() - self._steady_then), self._machine() - self._machine_then
        )
        return max(self(), self._told + self._took + passed)

    @property
    def skew(self) -> timedelta:
        """How far the machine's clock is ahead of the database's beyond doubt; negative: behind."""
        return self._skew

    def wrong_by_seconds(self) -> int | None:
        """How far the machine's clock is ahead where it must not publish by that; negative: behind."""
        return None if abs(self._skew) <= TOLERATED else round(self._skew.total_seconds())

    @property
    def problem(self) -> str | None:
        """Why this machine must not publish; None when its clock agrees with the database's."""
        seconds = self.wrong_by_seconds()
        if seconds is None:
            return None
        where = "ahead of" if seconds > 0 else "behind"
        return (
            f"This machine's clock is {abs(seconds)} seconds {where} the database server's. "
            "It publishes nothing until they agree. Have both set by NTP."
        )

    def heard(self, platform: ConnectionPlatform, theirs: datetime, asked: float) -> None:
        """Ignores what time platforms have."""

    async def _round(self) -> None:
        await self.measure()

    async def measure(self) -> None:
        """Measures now; without an answer all stays as it is."""
        try:
            await self._database.read(self._measure)
        except DATABASE_ERRORS:
            return  # the next caller of the database reports it
        self._report_skew()

    def _report_skew(self) -> None:
        """Log that the clock became wrong, was wrong from the start, or is right again."""
        if self.problem and not self._reported:
            _log.error("this machine's clock is wrong", reason=self.problem)
        elif self._reported and not self.problem:
            _log.warning("this machine's clock agrees with the database's again")
        self._reported = self.problem is not None

    def _measure(self, rows: Connection) -> None:
        machine_before, before = self._machine(), self._steady()
        told = _EPOCH + timedelta(milliseconds=rows.execute(_NOW).scalar_one())
        machine_after, after = self._machine(), self._steady()
        self._note(told, (machine_before, before), (machine_after, after))

    def _note(self, told: datetime, before: tuple[datetime, float], after: tuple[datetime, float]) -> None:
        """The database's clock showed ``told`` at some moment between the two."""
        at_least = told - _EPOCH - timedelta(seconds=after[1])
        at_most = told - _EPOCH - timedelta(seconds=before[1])
        # What is known already may be better, unless the server's clock has changed since.
        if not at_least <= self._offset <= at_most:
            self._offset = at_least
        self._told, self._took = told, timedelta(seconds=after[1] - before[1])
        self._machine_then, self._steady_then = after
        ahead, behind = before[0] - told, told - after[0]
        self._skew = max(ahead, timedelta()) or -max(behind, timedelta())


def _cut(moment: datetime) -> datetime:
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
