"""Checks of an installation: what works, what doesn't, and what to do next. Changes nothing that lasts."""

import asyncio
import os
import shutil
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum
from secrets import token_bytes
from typing import Final
from uuid import uuid4

from sqlalchemy import Connection, select, text
from sqlalchemy.exc import SQLAlchemyError

from app.contract.base import format_timestamp
from app.database import Database, DatabaseError
from app.database.postgresql import COUNT_OTHER_PROGRAMS
from app.platforms.cards import TIMED_PLATFORMS, hosts_of, name_of
from app.platforms.wire import LostError, Network, Request, Timeouts
from app.service.clock import DatabaseClock, make_clock, system_clock
from app.service.installation import Installation
from app.service.media.parts import open_store
from app.service.media.stores import Chunks, MediaStore, Place
from app.service.monitoring.backlog import read_backlog
from app.service.problems import CommandProblem
from app.service.seal_key import require_shared_key
from app.service.store.folder import MIGRATIONS
from app.service.store.tables import connections
from app.service.threads import in_thread
from app.service.tls import RENEW_BEFORE, Certificates

_SAMPLE_BYTES: Final = 64 * 1024
_LITTLE_SPACE: Final = 1_000_000_000
_NO_SPACE: Final = 100_000_000
_LATE_S: Final = 60.0
_SKEW_S: Final = 5.0
"""Difference of clocks that is worth a warning. Platforms report their time to a second."""
_TIMEOUTS: Final = Timeouts(connect=5.0, read=10.0, total=15.0)
_CHECKED_PLATFORMS_MAX: Final = 20


class Verdict(StrEnum):
    """Result of a check. UNKNOWN: it couldn't be made here, which may be fine."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found, in a sentence, and what to do next; empty if nothing."""

    name: str
    verdict: Verdict
    text: str
    next_step: str = ""


def examine(there: Installation, practice_url: str | None = None) -> Iterator[Finding]:
    """Yield the findings of every check as it ends. Blocking, for up to a minute without a network.

    With ``practice_url``, the practice platforms there are asked instead of the real ones.
    """
    opened = _open(there)
    if isinstance(opened, Finding):
        yield opened
        yield from _of_folder(there)
        return
    with closing(opened) as database:
        yield _database(database)
        yield Finding("migrations", Verdict.OK, f"The database has version {MIGRATIONS.newest}, the newest.")
        yield _tried("key", lambda: _seal_key(there, database))
        yield from _of_folder(there)
        leads: dict[str, timedelta | None] = {}
        yield _tried("network", lambda: _network(there, database, practice_url, leads))
        yield _tried("clock", lambda: _clock(database, [lead for lead in leads.values() if lead is not None]))
        yield _tried("workers", lambda: _workers(there, database))
        yield _tried("queue", lambda: _queue(there, database))


def _tried(name: str, check: Callable[[], Finding]) -> Finding:
    """Return the finding of a check that reads the database, which may be what's broken."""
    try:
        return check()
    except DatabaseError as problem:
        return Finding(name, Verdict.FAILED, *_halves(str(problem)))
    except SQLAlchemyError as problem:
        reason = str(getattr(problem, "orig", problem)).partition("\n")[0].rstrip(".")
        step = "Look at the log of the database. Restore a backup if something is missing."
        return Finding(name, Verdict.FAILED, f"The database can't be read: {reason}.", step)


def _of_folder(there: Installation) -> Iterator[Finding]:
    yield _storage(there)
    yield _tls(there)
    yield _disk(there)


def _open(there: Installation) -> Database | Finding:
    try:
        there.require()
        return there.open_database(migrate=False)
    except CommandProblem as problem:
        name = "migrations" if "migrate" in str(problem) else "database"
        return Finding(name, Verdict.FAILED, *_halves(str(problem)))
    except DatabaseError as problem:
        return Finding("database", Verdict.FAILED, *_halves(str(problem)))


def _halves(message: str) -> tuple[str, str]:
    """Split a problem into what happened and what to do."""
    first, dot, rest = message.partition(". ")
    return first + dot.strip(), rest


def _database(database: Database) -> Finding:
    is_file = database.engine.dialect.name == "sqlite"

    def ask(rows: Connection) -> str:
        return str(rows.scalar(text("PRAGMA quick_check(1)" if is_file else "SELECT 'ok'")))

    try:
        found = database.read_now(ask)
    except (DatabaseError, sqlite3.Error) as problem:
        return Finding("database", Verdict.FAILED, *_halves(str(problem)))
    if found != "ok":
        step = "Restore it from a backup, and keep the damaged file until then."
        return Finding("database", Verdict.FAILED, f"{database.name} is damaged: {found}.", step)
    return Finding("database", Verdict.OK, f"{database.name} answers.")


def _seal_key(there: Installation, database: Database) -> Finding:
    key = there.folder.seal_key
    is_needed = database.read_now(lambda rows: rows.scalar(select(connections.c.id).limit(1))) is not None
    if not key.exists() and not is_needed:
        return Finding("key", Verdict.UNKNOWN, "There is no key yet. The first start creates it.")
    try:
        database.read_now(lambda rows: require_shared_key(rows, there.folder))
    except CommandProblem as problem:
        return Finding("key", Verdict.FAILED, *_halves(str(problem)))
    except OSError as error:
        return Finding(
            "key",
            Verdict.FAILED,
            f"The key {key} can't be read ({error.strerror}).",
            "Give the user of the service access to it.",
        )
    if os.name == "posix" and key.stat().st_mode & 0o077:
        step = f"Run: chmod 600 {key}"
        return Finding("key", Verdict.WARNING, f"Other users can read the key {key}.", step)
    return Finding("key", Verdict.OK, "The key opens the secrets in the database.")


def _storage(there: Installation) -> Finding:
    where = "The bucket" if there.settings.media.s3 is not None else f"The folder {there.folder.media}"
    try:
        store = open_store(there.folder, there.settings.media.s3)
        asyncio.run(_try_storage(store))
    except CommandProblem as problem:
        return Finding("storage", Verdict.FAILED, *_halves(str(problem)))
    except (OSError, DatabaseError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        step = "Check its permissions, its free space and, for a bucket, its credentials."
        return Finding("storage", Verdict.FAILED, f"{where} can't be used: {reason}.", step)
    return Finding("storage", Verdict.OK, f"{where} accepts, returns and deletes files.")


async def _try_storage(store: MediaStore) -> None:
    """Write a file, read it and delete it. Raises OSError."""
    path, sample = f"{uuid4()}/doctor.bin", token_bytes(_SAMPLE_BYTES)
    incoming = await in_thread(store.begin, path)
    place: Place | None = None
    try:
        await in_thread(incoming.write, sample)
        await in_thread(incoming.finish)
        place = await in_thread(incoming.keep, path)
        async with store.open_at(place, 0) as chunks:
            found = await _read(chunks)
    finally:
        await in_thread(incoming.abandon)
        if place is not None:
            await in_thread(_remove, store, place)
    if found != sample:
        raise OSError(0, "it returned other bytes than it got")


def _remove(store: MediaStore, place: Place) -> None:
    store.remove(place)
    local = store.file(place)
    if local is not None:
        local.parent.rmdir()


async def _read(chunks: Chunks) -> bytes:
    return b"".join([chunk async for chunk in chunks])


def _tls(there: Installation) -> Finding:
    now = system_clock()
    try:
        found = Certificates(there.folder.tls, "127.0.0.1", system_clock).ends()
    except OSError as error:
        step = "Give the user of the service access to it."
        said = f"The certificate in {there.folder.tls} can't be read: {error.strerror}."
        return Finding("tls", Verdict.FAILED, said, step)
    if found is None:
        return Finding("tls", Verdict.UNKNOWN, "There is no certificate yet. The first start creates it.")
    until = format_timestamp(found)
    if found <= now:
        step = "Start the service again: it makes a new one."
        return Finding("tls", Verdict.FAILED, f"The certificate ended at {until}.", step)
    if found <= now + RENEW_BEFORE / 2:
        step = "A running service renews it daily: look for “certificate” in its log."
        return Finding("tls", Verdict.WARNING, f"The certificate ends at {until}.", step)
    return Finding("tls", Verdict.OK, f"The certificate is valid until {until}.")


def _disk(there: Installation) -> Finding:
    root = there.folder.root
    try:
        free = shutil.disk_usage(root).free
    except OSError as error:
        return Finding(
            "disk", Verdict.FAILED, f"{root} can't be used: {error.strerror}.", "Check the folder."
        )
    said = f"{root} has {free / 1e9:.1f} GB of free space."
    if free < _NO_SPACE:
        return Finding("disk", Verdict.FAILED, said, "Free some space, or nothing more can be stored.")
    if free < _LITTLE_SPACE:
        return Finding("disk", Verdict.WARNING, said, "Free some space soon.")
    return Finding("disk", Verdict.OK, said)


def _network(
    there: Installation, database: Database, practice_url: str | None, leads: dict[str, timedelta | None]
) -> Finding:
    """Check the network by asking the platforms of connected accounts for the time, and note it."""
    used = select(connections.c.platform).where(connections.c.is_available).distinct()
    names = database.read_now(lambda rows: set(rows.scalars(used)))
    asked = sorted(name for name in names if name in TIMED_PLATFORMS)
    leads.update(asyncio.run(_ask_platforms(there, asked[:_CHECKED_PLATFORMS_MAX], practice_url)))
    silent = [name_of(name) for name, lead in leads.items() if lead is None]
    if not leads:
        said = "No account of a platform with a fixed address is connected, so none was asked."
        return Finding("network", Verdict.UNKNOWN, said)
    if silent:
        step = "Check the network, the proxy in the settings, and the firewall."
        return Finding("network", Verdict.FAILED, f"No response from {', '.join(silent)}.", step)
    return Finding("network", Verdict.OK, f"{len(leads)} platforms respond.")


async def _ask_platforms(
    there: Installation, names: Collection[str], practice_url: str | None
) -> Mapping[str, timedelta | None]:
    """Return how far our clock is ahead of each platform's; None for one that doesn't respond."""
    network = Network(_TIMEOUTS, there.way())
    try:
        found = await asyncio.gather(*(_lead(network, hosts_of(name, practice_url).api) for name in names))
    finally:
        await network.aclose()
    return dict(zip(names, found, strict=True))


async def _lead(network: Network, url: str) -> timedelta | None:
    try:
        async with asyncio.timeout(_TIMEOUTS.total):
            reply = await network.exchange(Request("HEAD", url, {}, None))
    except (LostError, TimeoutError):
        return None
    try:
        theirs = parsedate_to_datetime(reply.headers["Date"]).astimezone(UTC)
    except (KeyError, ValueError):
        return timedelta()
    return datetime.now(UTC) - theirs


def _clock(database: Database, leads: Collection[timedelta]) -> Finding:
    step = "Have the clock set by NTP."
    if database.engine.dialect.name == "postgresql" and (wrong := DatabaseClock(database).wrong_by_seconds()):
        return Finding("clock", Verdict.FAILED, f"The clock is {wrong} s off the database's.", step)
    if not leads:
        said = "The clock can't be compared: no platform was asked."
        return Finding("clock", Verdict.UNKNOWN, said, "Connect an account, or compare it yourself.")
    lead = min(leads, key=abs).total_seconds()
    if abs(lead) > _SKEW_S:
        where = "ahead of" if lead > 0 else "behind"
        said = f"The clock is {abs(lead):.0f} s {where} the platforms'."
        return Finding("clock", Verdict.WARNING, said, step)
    return Finding("clock", Verdict.OK, "The clock agrees with the platforms'.")


def _workers(there: Installation, database: Database) -> Finding:
    step = "Start the service, or nothing is published."
    if there.alone:
        running = there.announced()
        if not running:
            return Finding("workers", Verdict.WARNING, "The service isn't running.", step)
        return Finding("workers", Verdict.OK, f"The service runs as process {running.get('pid')}.")
    count = database.read_now(lambda rows: int(rows.scalar(COUNT_OTHER_PROGRAMS) or 0))
    if not count:
        return Finding("workers", Verdict.WARNING, "No serve or worker uses the database.", step)
    return Finding("workers", Verdict.OK, f"Programs that use the database: {count}.")


def _queue(there: Installation, database: Database) -> Finding:
    now = make_clock(database, alone=there.alone)()
    backlog = database.read_now(lambda rows: read_backlog(rows, now))
    late = backlog.lag_seconds
    if backlog.is_queue_paused:
        said = "Publishing is paused for everyone."
        return Finding("queue", Verdict.WARNING, said, "Run “resume --all” to continue.")
    if late > _LATE_S:
        step = "Look at the logs of the workers, and start more of them if they are busy."
        return Finding("queue", Verdict.WARNING, f"The oldest due post is {late:.0f} s late.", step)
    said = f"{backlog.posts_in('ready')} posts are due, {backlog.unresolved} outcomes aren't known yet."
    return Finding("queue", Verdict.OK, said)
