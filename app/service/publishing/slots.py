"""Limits on concurrent calls."""

import asyncio
from collections.abc import Sequence
from types import TracebackType
from uuid import UUID
from weakref import WeakValueDictionary

from app.service.publishing.settings import PublishingSettings


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
        """Return a turn for one call of this account, in order of request; late posts leave some room."""
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
