"""Sweeping: makes rows and files agree at the start and every hour, without losing either.

Only files that a person removed go immediately. A file without a row is set aside for 30 days, and left alone
where the database may be the wrong one. A row whose file is missing stops counting after a day, and counts
again when the file is back.
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

from app.database import Database
from app.database.upserts import upsert
from app.service.clock import Clock
from app.service.media.rows import HAS_FILE, PENDING, REMOVED
from app.service.media.stores import PART_LIFETIME, MediaStore, Place, place_of
from app.service.store.tables import accounts, media, posts, swept_media
from app.service.worker import DATABASE_ERRORS, PeriodicWorker

_log = structlog.get_logger(__name__)

_GROUP: Final = 500
_DAY: Final = timedelta(days=1)
"""How long something must be so, seen by two sweeps, before anything follows from it."""
_QUARANTINE: Final = timedelta(days=30)
_REMEMBERED: Final = timedelta(days=90)
"""How long removals are remembered, for a store that is away meanwhile."""
_STRAYS_MAX: Final = 4
"""No account's files are set aside when more than one in so many has no row."""
_EXPIRED: Final = "expired"
"""In ``swept_media``: the file's quarantine is over, by the clock of one sweep."""

_STORED: Final = media.c.expires_at.is_(None)
_LOST: Final = media.c.expires_at.is_not(None) & media.c.sha256.is_not(None)
_ROW: Final = select(media.c.storage_path, media.c.object_key, media.c.expires_at, media.c.missing_since)
T = TypeVar("T")


def _never_restored() -> datetime | None:
    return None


class _Findings:
    """What one sweep has found.

    Attributes:
        seen: All files that are in their place.
        known: By account, how many of them have a row.
        unknown: By account, files without a row, those in quarantine included.
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
        """Whether so few of an account's files have no row that the others speak for the database."""
        unknown = len(self.unknown[account])
        return unknown * _STRAYS_MAX <= unknown + self.known[account]


class Sweeper(PeriodicWorker):
    """Makes rows and files agree; safe beside running uploads and beside other processes."""

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
        """``restored_at`` tells when everything came back from a backup; it may raise OSError."""
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
        """One pass. Blocking. Raises OSError or DatabaseError."""
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
        """Whether the database can tell which files are strays: not if it is new or came from a backup."""
        first = self._database.read_now(lambda rows: rows.scalar(select(func.min(accounts.c.created_at))))
        return first is not None and first <= now - _DAY and self._restored_at() is None

    def _look_through_quarantine(self, now: datetime, *, trusted: bool) -> set[Place]:
        """Takes back what a row names, and removes what was set aside long ago; returns what stays there."""
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
        """Looks at every file in its place; removes what a person removed, and finds lost files again."""
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
                    with suppress(PermissionError):  # Windows, while it is read: the next sweep removes it
                        self._store.remove(place)
                else:
                    found.unknown[_account(place)].add(place)
                    if is_settled:
                        found.strays.append(place)
        return found

    def _set_aside(self, found: _Findings, aside: set[Place], now: datetime) -> int:
        """Puts strays in quarantine, where they are few; returns how many."""
        strays = [place for place in found.strays if place not in aside]
        few = [place for place in strays if found.is_plausible(_account(place))]
        for place in few:
            self._store.set_aside(place, now)
        left = len(strays) - len(few)
        if left and left != self._left:  # logged once, not every hour
            _log.warning(
                "many files belong to no row and are left alone; is this the right database?", files=left
            )
        self._left = left
        return len(few)

    def _known(self, places: list[Place]) -> tuple[dict[Place, RowMapping], set[str]]:
        """The rows of those that have one, and the paths of those that a person removed."""
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
        """Those that another sweep, at least a day ago, found expired as well: a clock may be wrong once."""
        if not names:
            return set()
        return self._database.write_now(partial(_note_expired, names=names, now=now))

    def _look_for_missing(self, seen: set[Place], now: datetime) -> int:
        """Notes which files are missing; rows of those missing for a day are lost. Returns how many."""
        lost, after = 0, ""
        while rows := self._database.read_now(partial(_stored_after, path=after)):
            if self._stopping:
                break
            places = [place_of(row) for row in rows]
            missing = self._store.missing([place for place in places if place not in seen])
            paths = {place.storage_path for place in missing}
            if paths:
                lost += self._database.write_now(partial(_note_missing, paths=paths, now=now))
            # Not seen, but there all the same: below a folder that is a link.
            back = [
                path for row in rows if row["missing_since"] and (path := row["storage_path"]) not in paths
            ]
            if back:
                self._database.write_now(partial(_find_again, paths=back))
            after = rows[-1]["storage_path"]
        return lost

    def _warn_of_absence(self) -> int:
        """A store with nothing in it is rather one that is not mounted than one of which all was lost."""

        def count(connection: Connection) -> int:
            return connection.scalar(select(func.count()).where(_STORED).select_from(media)) or 0

        if missing := self._database.read_now(count):
            _log.warning("the media store is empty although files are stored in it", files=missing)
        return 0


def _tidy(connection: Connection, now: datetime) -> None:
    """Reservations stop counting when they expire; their rows stay while an upload may still end."""
    long_over = now - PART_LIFETIME
    reserved = media.c.sha256.is_(None)
    connection.execute(delete(media).where(media.c.expires_at < long_over, reserved))
    connection.execute(update(swept_media).where(swept_media.c.since.is_(None)).values(since=now))
    connection.execute(delete(swept_media).where(swept_media.c.since < now - _REMEMBERED))


def _find_again(connection: Connection, paths: list[str]) -> None:
    """What was missing is there: its row counts again."""
    missed = media.c.storage_path.in_(paths), media.c.missing_since.is_not(None)
    connection.execute(update(media).where(*missed, _LOST).values(expires_at=None))
    connection.execute(update(media).where(*missed).values(missing_since=None))


def _note_missing(connection: Connection, paths: set[str], now: datetime) -> int:
    """Marks rows whose file is missing; loses those that another sweep missed a day ago or earlier.

    What a pending post needs is never lost. Returns how many were.
    """
    missing = media.c.storage_path.in_(paths), _STORED
    connection.execute(
        update(media).where(*missing, media.c.missing_since.is_(None)).values(missing_since=now)
    )
    needed = exists().where(
        posts.c.media_storage_path == media.c.storage_path, HAS_FILE, posts.c.status.in_(PENDING)
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
    """The next stored places, in the order of their paths."""
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
