"""Limits on publishing calls: what a platform asked for, its documented pace, and concurrent calls.

Kept in memory only. After a restart, the platform asks to slow down again.
"""

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType, TracebackType
from typing import Final
from uuid import UUID
from weakref import WeakValueDictionary

from app.contract.enums import PostingPlatform
from app.platforms.card import Pace
from app.platforms.cards import CARDS
from app.service.publishing.settings import PublishingSettings

PACES: Final[Mapping[str, Pace]] = MappingProxyType(
    {key: card.pace for key, card in CARDS.items() if card.pace is not None}
)

_HELD_MAX: Final = timedelta(hours=2)
"""Longest time without a look at an account's posts: some may be too late, which users have to know."""


class Pacing:
    """Rate limits for the publishing calls of all accounts."""

    def __init__(self, paces: Mapping[str, Pace] = PACES) -> None:
        self._paces = paces
        self._calls: dict[UUID, deque[datetime]] = {}
        self._held: dict[UUID, tuple[datetime, datetime]] = {}
        self._full: dict[UUID, tuple[datetime, datetime]] = {}
        """Accounts with as many calls as their platform allows: since when, and until when."""

    def hold(self, connection_id: UUID, now: datetime, until: datetime) -> None:
        """Make no calls for the account until then, or for two hours if that's longer."""
        until = max(until, _lasting(self._held, now).get(connection_id, until))
        self._held[connection_id] = now, min(until, now + _HELD_MAX)

    def held(self, now: datetime) -> Mapping[UUID, datetime]:
        """Return rate-limited accounts, and until when.

        Drops waits that began after ``now``: the clock was set back.
        """
        held, full = _lasting(self._held, now), _lasting(self._full, now)
        return {
            account: max(waits[account] for waits in (held, full) if account in waits)
            for account in held | full
        }

    def take(self, connection_id: UUID, platform: PostingPlatform, now: datetime) -> datetime | None:
        """Count a call that begins now and return None, or return when to try again."""
        if (until := self.held(now).get(connection_id)) is not None:
            return until
        pace = self._paces.get(platform)
        if pace is None:
            return None
        calls = self._calls.setdefault(connection_id, deque())
        while calls and not now - pace.within < calls[0] <= now:
            calls.popleft()
        if len(calls) < pace.calls:
            calls.append(now)
            return None
        self._full[connection_id] = now, min(calls[0] + pace.within, now + _HELD_MAX)
        return self.held(now)[connection_id]

    def give_back(self, connection_id: UUID, counted: datetime) -> None:
        """Don't count a call after all that was to begin at ``counted``, because it isn't made."""
        calls = self._calls.get(connection_id)
        if calls and counted in calls:
            calls.remove(counted)
            self._full.pop(connection_id, None)


def _lasting(waits: dict[UUID, tuple[datetime, datetime]], now: datetime) -> dict[UUID, datetime]:
    """Drop waits that are over or began after ``now``; return until when the others last."""
    for account in [one for one, (since, until) in waits.items() if not since <= now < until]:
        del waits[account]
    return {account: until for account, (_, until) in waits.items()}


class Slots:
    """Limits on concurrent calls, in total and per connected account."""

    def __init__(self, settings: PublishingSettings) -> None:
        self._all = asyncio.Semaphore(settings.calls)
        self._late = asyncio.Semaphore(max(1, settings.calls // 2))
        self._per_connection = settings.calls_per_connection
        self._connections: WeakValueDictionary[UUID, asyncio.Semaphore] = WeakValueDictionary()
        self._late_of: WeakValueDictionary[UUID, asyncio.Semaphore] = WeakValueDictionary()
        self._many = settings.calls // 4
        self.punctual = 0
        """Number of punctual calls that are running or waiting."""

    @property
    def busy(self) -> bool:
        """Whether many punctual calls are running or waiting."""
        return self.punctual > self._many

    def of(self, connection_id: UUID, *, late: bool = False) -> "Turn":
        """Return a turn for one call of this account, in order of request; late posts leave some slots."""
        room = self._connections.setdefault(connection_id, asyncio.Semaphore(self._per_connection))
        if not late:
            return Turn(self, (room, self._all), punctual=1)
        few = max(1, self._per_connection - 1)
        room_for_late = self._late_of.setdefault(connection_id, asyncio.Semaphore(few))
        return Turn(self, (room_for_late, self._late, room, self._all), punctual=0)


class Turn:
    """Permission for one call, from ``begin`` to ``end``."""

    def __init__(self, slots: Slots, rooms: Sequence[asyncio.Semaphore], *, punctual: int) -> None:
        self._slots = slots
        self._rooms = rooms
        self._punctual = punctual
        self._held: list[asyncio.Semaphore] = []
        self._has_begun = False

    async def begin(self) -> None:
        """Wait until a call may run."""
        self._has_begun = True
        self._slots.punctual += self._punctual
        for room in self._rooms:
            await room.acquire()
            self._held.append(room)

    def end(self) -> None:
        """Release what was acquired. Does nothing the second time."""
        if self._has_begun:
            self._has_begun = False
            self._slots.punctual -= self._punctual
            while self._held:
                self._held.pop().release()

    async def __aenter__(self) -> None:
        try:
            await self.begin()
        except BaseException:
            self.end()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
