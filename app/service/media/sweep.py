"""Sweeping: what a crash or a hand in the folder left behind is put right, at the start and every hour."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Final, TypeVar

import structlog
from sqlalchemy import Connection, delete, func, select

from app.database import Database
from app.service.clock import Clock
from app.service.media.stores import PART_LIFETIME, MediaStore, Place
from app.service.store.tables import media

_log = structlog.get_logger(__name__)

_EVERY: Final = timedelta(hours=1)
_GROUP: Final = 500
_PLACES: Final = select(media.c.storage_path, media.c.object_key)
T = TypeVar("T")


class Sweeper:
    """Makes rows and files agree; safe beside running uploads and beside other processes."""

    def __init__(self, database: Database, store: MediaStore, clock: Clock) -> None:
        self._database = database
        self._store = store
        self._clock = clock
        self._stopped = asyncio.Event()

    async def run(self) -> None:
        """Sweeps now and every hour, until ``stop``."""
        while not self._stopped.is_set():
            try:
                await asyncio.to_thread(self.sweep)
            except OSError as error:
                _log.warning("the media store could not be swept", reason=error.strerror)
            await self._pause()

    async def stop(self) -> None:
        self._stopped.set()

    def sweep(self) -> None:
        """One pass. Blocking. Raises OSError."""
        self._database.write_now(self._forget_lapsed)
        now = self._clock()
        parts, strays, seen = self._store.clear_parts(now), 0, set[Place]()
        for group in _groups(self._store.held(now)):
            if self._stopped.is_set():
                return
            seen.update(place for place, _ in group)
            strays += self._remove_strays([place for place, is_settled in group if is_settled])
        lost = self._forget_lost(seen) if seen else self._warn_of_absence()
        if parts or strays or lost:
            _log.info("media were swept", parts=parts, files_without_row=strays, rows_without_file=lost)

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(_EVERY.total_seconds()):
                await self._stopped.wait()
        except TimeoutError:
            pass

    def _forget_lapsed(self, connection: Connection) -> None:
        """Reservations stop counting when they expire; their rows stay while an upload may still end."""
        long_over = self._clock() - PART_LIFETIME
        connection.execute(delete(media).where(media.c.expires_at < long_over))

    def _remove_strays(self, places: list[Place]) -> int:
        """Removes what no row names, and none will."""
        paths = {place.storage_path for place in places}

        def known(connection: Connection) -> set[Place]:
            rows = connection.execute(_PLACES.where(media.c.storage_path.in_(paths)))
            return {Place(*row) for row in rows}

        strays = set(places) - self._database.read_now(known)
        for place in strays:
            self._store.remove(place)
        return len(strays)

    def _forget_lost(self, seen: set[Place]) -> int:
        """Removes the rows of files that are gone; gives how many."""
        lost, after = 0, ""
        while places := self._database.read_now(partial(_stored_after, path=after)):
            if self._stopped.is_set():
                break
            gone = self._store.missing([place for place in places if place not in seen])
            if gone:
                paths = [place.storage_path for place in gone]
                self._database.write_now(partial(_forget, paths=paths))
            lost, after = lost + len(gone), places[-1].storage_path
        return lost

    def _warn_of_absence(self) -> int:
        """A store with nothing in it is rather one that is not mounted than one of which all was lost."""

        def count(connection: Connection) -> int:
            return connection.scalar(select(func.count()).where(media.c.expires_at.is_(None))) or 0

        if missing := self._database.read_now(count):
            _log.warning("the media store is empty although files are stored in it", files=missing)
        return 0


def _stored_after(connection: Connection, path: str) -> list[Place]:
    """The next stored places, in the order of their paths."""
    stored = (media.c.storage_path > path, media.c.expires_at.is_(None))
    following = _PLACES.where(*stored).order_by(media.c.storage_path).limit(_GROUP)
    return [Place(*row) for row in connection.execute(following)]


def _forget(connection: Connection, paths: list[str]) -> None:
    lost = (media.c.storage_path.in_(paths), media.c.expires_at.is_(None))
    connection.execute(delete(media).where(*lost))


def _groups(found: Iterator[T]) -> Iterator[list[T]]:
    group: list[T] = []
    for one in found:
        group.append(one)
        if len(group) == _GROUP:
            yield group
            group = []
    if group:
        yield group
