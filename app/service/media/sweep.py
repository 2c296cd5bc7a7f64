"""Sweeping: what a crash or a hand in the folder left behind is put right, at the start and every hour."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Final

import structlog
from sqlalchemy import Connection, delete, func, select

from app.database import Database
from app.service.clock import Clock
from app.service.media.files import PART_LIFETIME, MediaStore
from app.service.store.tables import media

_log = structlog.get_logger(__name__)

_EVERY: Final = timedelta(hours=1)
_GROUP: Final = 500


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
                _log.warning("the media folder could not be swept", reason=error.strerror)
            await self._pause()

    async def stop(self) -> None:
        self._stopped.set()

    def sweep(self) -> None:
        """One pass. Blocking. Raises OSError."""
        self._database.write_now(self._forget_lapsed)
        parts = self._store.clear_parts(self._clock())
        files, strays = 0, 0
        for group in _groups(self._store.paths()):
            if self._stopped.is_set():
                return
            files += len(group)
            strays += self._remove_strays(group)
        lost = self._forget_lost() if files else self._warn_of_absence()
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

    def _remove_strays(self, paths: list[str]) -> int:
        """Removes files that no row names: a row is there before its file, so none of them is on its way."""

        def known(connection: Connection) -> set[str]:
            return set(
                connection.scalars(select(media.c.storage_path).where(media.c.storage_path.in_(paths)))
            )

        strays = set(paths) - self._database.read_now(known)
        for path in strays:
            self._store.remove(path)
        return len(strays)

    def _forget_lost(self) -> int:
        """Removes the rows of files that are gone; gives how many."""
        lost, after = 0, ""
        while paths := self._database.read_now(partial(_stored_after, path=after)):
            if self._stopped.is_set():
                break
            gone = [path for path in paths if not self._store.locate(path).exists()]
            if gone:
                self._database.write_now(partial(_forget, paths=gone))
            lost, after = lost + len(gone), paths[-1]
        return lost

    def _warn_of_absence(self) -> int:
        """A folder with nothing in it is rather one that is not mounted than one of which all was lost."""

        def count(connection: Connection) -> int:
            return connection.scalar(select(func.count()).where(media.c.expires_at.is_(None))) or 0

        if missing := self._database.read_now(count):
            _log.warning("the media folder is empty although files are stored in it", files=missing)
        return 0


def _stored_after(connection: Connection, path: str) -> list[str]:
    """The next stored paths, in order."""
    stored = (media.c.storage_path > path, media.c.expires_at.is_(None))
    following = select(media.c.storage_path).where(*stored).order_by(media.c.storage_path).limit(_GROUP)
    return list(connection.scalars(following))


def _forget(connection: Connection, paths: list[str]) -> None:
    lost = (media.c.storage_path.in_(paths), media.c.expires_at.is_(None))
    connection.execute(delete(media).where(*lost))


def _groups(paths: Iterator[str]) -> Iterator[list[str]]:
    group: list[str] = []
    for path in paths:
        group.append(path)
        if len(group) == _GROUP:
            yield group
            group = []
    if group:
        yield group
