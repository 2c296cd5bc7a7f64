"""The sweep: reconciles rows and files at start and every hour, without losing either.

Only files deleted by a user are deleted immediately. A file without a row goes to quarantine for 30 days,
unless the database may be the wrong one. A row whose file is missing stops counting after a day, and counts
again once the file is back.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import ClassVar, Final, TypeVar

import structlog
from sqlalchemy import Connection, RowMapping, delete, exists, func, select, update

from app.database import Database, is_one_of
from app.database.dialects import upsert
from app.service.clock import Clock
from app.service.media.rows import HAS_FILE, PENDING, REMOVED
from app.service.media.stores import PART_LIFETIME, MediaStore, Place, place_of
from app.service.store.tables import accounts, media, posts, swept_media
from app.service.worker import DATABASE_ERRORS, PeriodicWorker

_log = structlog.get_logger(__name__)

_GROUP: Final = 500
_DAY: Final = timedelta(days=1)
"""How long two sweeps must agree on a finding before it has consequences."""
_QUARANTINE: Final = timedelta(days=30)
_REMEMBERED: Final = timedelta(days=90)
"""How long deletions are remembered, in case the store is unavailable."""
_STRAYS_MAX: Final = 4
"""An account's files stay if more than one in this many has no row."""
_EXPIRED: Final = "expired"
"""State in ``swept_media``: one sweep found that the file's quarantine is over."""

_STORED: Final = media.c.expires_at.is_(None)
_LOST: Final = media.c.expires_at.is_not(None) & media.c.sha256.is_not(None)
_ROW: Final = select(media.c.storage_path, media.c.object_key, media.c.expires_at, media.c.missing_since)
T = TypeVar("T")


def _never_restored() -> datetime | None:
    return None


class _Findings:
    """The results of one sweep.

    Attributes:
        seen: All files in their place.
        known: Number of files with a row, by account.
        unknown: Files without a row, by account, including those in quarantine.
        strays: Files in their place that have had no row for a day.
    """

    def __init__(self, aside: set[Place]) -> None:
        self.seen: set[Place] = set()
        self.known: Counter[str] = Counter()
        self.unknown: defaultdict[str, set[Place]] = defaultdict(set)
        self.strays: list[Place] = []
        for place in aside:
            self.unknown[_account(place)].add(place)

    def is_plausible(self, account: str) -> bool:
        """Whether few enough of an account's files lack a row for the database to be the right one."""
        unknown = len(self.unknown[account])
        return unknown * _STRAYS_MAX <= unknown + self.known[account]


class Sweeper(PeriodicWorker):
    """Reconciles rows and files. Safe during uploads and alongside other processes."""

    every = timedelta(hours=1)
    trouble = "media could not be swept"
    passing: ClassVar[tuple[type[Exception], ...]] = (OSError, *DATABASE_ERRORS)

    def __init__(
        self,
        database: Database,
        store: MediaStore,
        clock: Clock,
        restored_at: Callable[[], datetime | None] = _never_restored,
    ) -> None:
        """``restored_at`` returns when a backup was restored, if ever; it may raise OSError."""
        super().__init__()
        self._database = database
        self._store = store
        self._clock = clock
        self._restored_at = restored_at
        self._left = 0

    async def _round(self) -> None:
        await asyncio.to_thread(self.sweep)

    def _report(self, error: Exception) -> None:
        if isinstance(error, OSError):
            _log.warning("the media store could not be swept", reason=error.strerror)
        else:
            _log.warning(self.trouble, reason=type(error).__name__)

    def sweep(self) -> None:
        """Sweep once. Blocking. Raises OSError or DatabaseError."""
        now = self._clock()
        trusted = self._is_trusted(now)
        self._database.write_now(partial(_tidy, now=now))
        parts = self._store.clear_parts(now)
        aside = self._look_through_quarantine(now, trusted=trusted)
        found = self._look_through(now, aside)
        if self._stopping:
            return
        strays = self._set_aside(found, aside, now) if trusted else 0
        lost = self._look_for_missing(found.seen, now) if found.seen else self._warn_of_absence()
        if parts or strays or lost:
            _log.info("media were swept", parts=parts, files_set_aside=strays, rows_without_file=lost)

    def _is_trusted(self, now: datetime) -> bool:
        """Whether the database can tell strays: not if it is new or was restored from a backup."""
        first = self._database.read_now(lambda rows: rows.scalar(select(func.min(accounts.c.created_at))))
        return first is not None and first <= now - _DAY and self._restored_at() is None

    def _look_through_quarantine(self, now: datetime, *, trusted: bool) -> set[Place]:
        """Restore files with a row, delete those past their quarantine; return the rest."""
        stays = set[Place]()
        for group in _groups(self._store.in_quarantine()):
            if self._stopping:
                break
            rows, removed = self._known([place for place, _ in group])
            expired = [(place, day) for place, day in group if day < (now - _QUARANTINE).date()]
            gone = self._expired_twice([_name(place) for place, _ in expired], now) if trusted else set()
            done = []
            for place, day in group:
                if place in rows:
                    self._store.take_back(place)
                elif place.storage_path in removed or ((place, day) in expired and _name(place) in gone):
                    self._store.purge(place, day)
                else:
                    stays.add(place)
                    continue
                done.append(_name(place))
            if done:
                self._database.write_now(partial(_forget_expired, names=done))
        return stays

    def _look_through(self, now: datetime, aside: set[Place]) -> _Findings:
        """Check every file in its place: delete those users deleted, and mark lost ones as found again."""
        found = _Findings(aside)
        for group in _groups(self._store.held(now)):
            if self._stopping:
                break
            places = [place for place, _ in group]
            rows, removed = self._known(places)
            back = [place.storage_path for place in places if place in rows and rows[place]["missing_since"]]
            if back:
                self._database.write_now(partial(_find_again, paths=back))
            found.seen.update(places)
            for place, is_settled in group:
                if place in rows:
                    found.known[_account(place)] += 1
                elif place.storage_path in removed:
                    with suppress(PermissionError):  # on Windows, while it is read: the next sweep deletes it
                        self._store.remove(place)
                else:
                    found.unknown[_account(place)].add(place)
                    if is_settled:
                        found.strays.append(place)
        return found

    def _set_aside(self, found: _Findings, aside: set[Place], now: datetime) -> int:
        """Move strays to quarantine if there are few; return how many."""
        strays = [place for place in found.strays if place not in aside]
        few = [place for place in strays if found.is_plausible(_account(place))]
        for place in few:
            self._store.set_aside(place, now)
        left = len(strays) - len(few)
        if left and left != self._left:  # logged once, not every hour
            _log.warning("many files have no row and are left alone; is this the right database?", files=left)
        self._left = left
        return len(few)

    def _known(self, places: list[Place]) -> tuple[dict[Place, RowMapping], set[str]]:
        """Return the rows of the places, and the paths among them that users deleted."""
        paths = {place.storage_path for place in places}
        removals = select(swept_media.c.path).where(
            swept_media.c.path.in_(paths), swept_media.c.state == REMOVED
        )

        def read(connection: Connection) -> tuple[dict[Place, RowMapping], set[str]]:
            rows = connection.execute(_ROW.where(media.c.storage_path.in_(paths))).mappings()
            by_place = {place_of(row): row for row in rows}
            return by_place, set(connection.scalars(removals))

        return self._database.read_now(read)

    def _expired_twice(self, names: list[str], now: datetime) -> set[str]:
        """Return the names that a sweep at least a day ago found expired too, in case one clock was wrong."""
        if not names:
            return set()
        return self._database.write_now(partial(_note_expired, names=names, now=now))

    def _look_for_missing(self, seen: set[Place], now: datetime) -> int:
        """Mark missing files, and lose rows of those missing for a day. Return how many were lost."""
        lost, after = 0, ""
        while rows := self._database.read_now(partial(_stored_after, path=after)):
            if self._stopping:
                break
            places = [place_of(row) for row in rows]
            missing = self._store.missing([place for place in places if place not in seen])
            paths = {place.storage_path for place in missing}
            if paths:
                lost += self._database.write_now(partial(_note_missing, paths=paths, now=now))
            # Not listed, but there: below a folder that is a symbolic link.
            back = [
                path for row in rows if row["missing_since"] and (path := row["storage_path"]) not in paths
            ]
            if back:
                self._database.write_now(partial(_find_again, paths=back))
            after = rows[-1]["storage_path"]
        return lost

    def _warn_of_absence(self) -> int:
        """Warn about an empty store: probably it isn't mounted, rather than that everything was lost."""

        def count(connection: Connection) -> int:
            return connection.scalar(select(func.count()).where(_STORED).select_from(media)) or 0

        if missing := self._database.read_now(count):
            _log.warning("the media store is empty although files are stored in it", files=missing)
        return 0


def _tidy(connection: Connection, now: datetime) -> None:
    """Delete lapsed reservations, but only once their upload can no longer complete."""
    long_over = now - PART_LIFETIME
    reserved = media.c.sha256.is_(None)
    connection.execute(delete(media).where(media.c.expires_at < long_over, reserved))
    connection.execute(update(swept_media).where(swept_media.c.since.is_(None)).values(since=now))
    connection.execute(delete(swept_media).where(swept_media.c.since < now - _REMEMBERED))


def _find_again(connection: Connection, paths: list[str]) -> None:
    """Make the rows of files that are back count again."""
    missed = media.c.storage_path.in_(paths), media.c.missing_since.is_not(None)
    connection.execute(update(media).where(*missed, _LOST).values(expires_at=None))
    connection.execute(update(media).where(*missed).values(missing_since=None))


def _note_missing(connection: Connection, paths: set[str], now: datetime) -> int:
    """Mark rows with a missing file, and lose those that another sweep missed at least a day ago.

    Never loses a file that a pending post needs. Returns how many were lost.
    """
    missing = media.c.storage_path.in_(paths), _STORED
    connection.execute(
        update(media).where(*missing, media.c.missing_since.is_(None)).values(missing_since=now)
    )
    needed = exists().where(
        posts.c.media_storage_path == media.c.storage_path, HAS_FILE, is_one_of(posts.c.status, PENDING)
    )
    long = media.c.missing_since <= now - _DAY
    lost = update(media).where(*missing, long, ~needed).values(expires_at=now)
    return connection.execute(lost).rowcount


def _note_expired(connection: Connection, names: list[str], now: datetime) -> set[str]:
    noted = swept_media.c.path.in_(names), swept_media.c.state == _EXPIRED
    known = select(swept_media.c.path).where(*noted, swept_media.c.since <= now - _DAY)
    again = set(connection.scalars(known))
    fresh = [{"path": name, "state": _EXPIRED, "since": now} for name in names]
    connection.execute(upsert(connection, swept_media).on_conflict_do_nothing(), fresh)
    return again


def _stored_after(connection: Connection, path: str) -> list[RowMapping]:
    """Return the next stored files, ordered by path."""
    following = _ROW.where(media.c.storage_path > path, _STORED)
    return list(connection.execute(following.order_by(media.c.storage_path).limit(_GROUP)).mappings())


def _forget_expired(connection: Connection, names: list[str]) -> None:
    over = swept_media.c.path.in_(names), swept_media.c.state == _EXPIRED
    connection.execute(delete(swept_media).where(*over))


def _account(place: Place) -> str:
    return place.storage_path.partition("/")[0]


def _name(place: Place) -> str:
    return place.object_key or place.storage_path


def _groups(found: Iterator[T]) -> Iterator[list[T]]:
    group: list[T] = []
    for one in found:
        group.append(one)
        if len(group) == _GROUP:
            yield group
            group = []
    if group:
        yield group
