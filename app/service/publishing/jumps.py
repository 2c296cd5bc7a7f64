"""Jumps of the wall clock, and moments in the rows that were written before one."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final

import structlog
from sqlalchemy import (
    BigInteger,
    BindParameter,
    Column,
    Connection,
    Update,
    and_,
    bindparam,
    type_coerce,
    update,
)

from app.contract.enums import ConnectionPlatform, PostStatus
from app.database import Database, is_one_of
from app.platforms.by_hand import BY_HAND_KEYS
from app.service.publishing.clock import Timekeeper
from app.service.publishing.settings import PublishingSettings
from app.service.store.tables import attempts, posts, preparations

_log = structlog.get_logger(__name__)

# Posts, leases and retries use the wall clock, because several processes share them. A comparison with the
# monotonic clock reveals jumps. After a jump forward, leases of other processes stay valid for one more
# lease, so that live processes can renew them. After a jump back, future moments in the rows are moved
# back; otherwise retries and looks would wait for as long as the clock went back.
_SMALL: Final = timedelta(seconds=2)
_UNSURE: Final = timedelta(milliseconds=500)
_MS: Final = timedelta(milliseconds=1)


class Jumps:
    """Detects jumps of one clock. ``lease`` is how long claims are valid without renewal."""

    def __init__(self, time: Timekeeper, lease: timedelta) -> None:
        self._time = time
        self._lease = lease
        self._wall, self._steady = time.now(), time.elapsed()
        self._forward = timedelta()
        self._patient_until = self._steady

    def look(self) -> timedelta:
        """Return how far the clock went back since the last look; zero if it didn't, or by less than 2 s."""
        before, wall, steady = self._time.elapsed(), self._time.now(), self._time.elapsed()
        jump = (wall - self._wall) - (steady - self._steady)
        if steady - before > _UNSURE or abs(jump) < _SMALL:
            return timedelta()
        self._wall, self._steady = wall, steady
        if jump < timedelta():
            return -jump
        still_patient = steady < self._patient_until
        self._forward = jump + (self._forward if still_patient else timedelta())
        self._patient_until = steady + self._lease
        return timedelta()

    def leases_over(self, now: datetime) -> datetime:
        """Return the latest end of a lease that counts as expired."""
        return now - self._forward if self._time.elapsed() < self._patient_until else now


class SetBacks:
    """Moves moments in the rows back after the clock was set back.

    Writes that were under way then may contain its former time, so this is repeated with every `sweep`.
    """

    def __init__(self, database: Database, time: Timekeeper, settings: PublishingSettings) -> None:
        self._database = database
        self._time = time
        self._settings = settings
        self._jumps = Jumps(time, settings.lease)
        self._left = timedelta()
        """How far the clock was set back without moments having been moved back yet."""

    async def look(self) -> bool:
        """Whether the clock was set back since the last look; then moments have been moved back."""
        back = self._jumps.look()
        if back:
            _log.warning("the clock was set back", seconds=back.total_seconds())
            self._left += back
        if not self._left:
            return False
        await self._move_back(self._left)  # again next time if the disk is full
        self._left = timedelta()
        return True

    async def sweep(self) -> None:
        """Move back moments that are further away than any can be, unless the time isn't certain."""
        if self._time.is_certain:
            await self._move_back(timedelta(), max(map(self._time.behind, ConnectionPlatform)))

    def leases_over(self, now: datetime) -> datetime:
        """Return the latest end of a lease that counts as expired."""
        return self._jumps.leases_over(now)

    async def _move_back(self, back: timedelta, behind: timedelta = timedelta()) -> None:
        now, lease, longest = self._time.now(), self._settings.lease, self._settings.retry_span
        await self._database.write(lambda rows: move_back(rows, now, back, lease, longest, behind))


def move_back(
    connection: Connection,
    now: datetime,
    back: timedelta,
    lease: timedelta,
    longest: timedelta,
    behind: timedelta = timedelta(),
) -> None:
    """Move moments that are too far in the future back by ``back``; zero if the jump's size is unknown.

    Posts to publish immediately are due ``now`` at the latest. Claims expire after one ``lease`` at the
    latest, so that live processes can renew them, and no post waits longer than ``longest``. Those that the
    user publishes wait until a time that doesn't depend on the clock.

    ``behind`` is how far the clock is known to be behind the platforms'. Calls recorded up to the platforms'
    time were recorded while the clock was right, and stay as they are.
    """
    moments = {
        "now": now,
        "lease_end": now + lease,
        "wait_end": now + longest,
        "call_end": now + behind + _SMALL,
        "first_call": now - longest,
        "back": back // _MS,
    }
    for statement in _statements(step_is_known=bool(back)):
        names = _names(statement)
        connection.execute(statement, {name: value for name, value in moments.items() if name in names})


def _moment(name: str) -> BindParameter[datetime]:
    return bindparam(name, type_=posts.c.scheduled_at.type)


def _earlier(moment: Column[Any]) -> Any:
    return type_coerce(type_coerce(moment, BigInteger) - bindparam("back", type_=BigInteger), moment.type)


@cache
def _statements(*, step_is_known: bool) -> Sequence[Update]:
    """Return the statements of `move_back`. Building them takes longer than running them."""

    def set_earlier(moment: Column[Any], otherwise: BindParameter[datetime]) -> dict[Any, Any]:
        return {moment: _earlier(moment) if step_is_known else otherwise}

    now, wait_end, lease_end = map(_moment, ("now", "wait_end", "lease_end"))
    until, next_at, settled_at = posts.c.claimed_until, preparations.c.next_at, preparations.c.settled_at
    called_at, lost_at = attempts.c.started_at, attempts.c.unknown_since
    waits = update(posts).where(posts.c.claimed_by.is_(None))
    is_called = and_(~is_one_of(posts.c.platform, BY_HAND_KEYS), ~posts.c.by_hand)
    at_once = and_(is_one_of(posts.c.status, [PostStatus.QUEUED]), posts.c.scheduled_at <= posts.c.created_at)
    is_open = update(attempts).where(attempts.c.finished_at.is_(None))
    known = [
        waits.where(until > now).values(claimed_until=_earlier(until)),
        update(preparations).where(next_at > now).values(next_at=_earlier(next_at)),
    ]
    return (
        *(known if step_is_known else ()),
        waits.where(until > wait_end, is_called).values(claimed_until=now),
        update(posts)
        .where(posts.c.claimed_by.is_not(None), until > lease_end)
        .values(claimed_until=lease_end),
        # “Publish now” still means now, although the clock was ahead when it was pressed.
        update(posts).where(at_once, posts.c.scheduled_at > now).values(scheduled_at=now),
        # Looks ask for items since the call began: too early is safer than too late.
        is_open.where(called_at > _moment("call_end")).values(set_earlier(called_at, _moment("first_call"))),
        is_open.where(lost_at > now).values(set_earlier(lost_at, now)),
        update(preparations).where(next_at > wait_end).values(next_at=now),
        update(preparations).where(settled_at > now).values(set_earlier(settled_at, now)),
    )


@cache
def _names(statement: Update) -> frozenset[str]:
    """Return the names of a statement's parameters. SQLAlchemy refuses others."""
    return frozenset(statement.compile().params)
