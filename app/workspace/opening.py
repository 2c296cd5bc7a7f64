"""Opens a workspace's file and reads everything in it, without blocking the window."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sqlalchemy import Connection, Engine

from app.database import Database, DatabaseDamagedError
from app.database.engines import sqlite_engine
from app.database.errors import translated
from app.workspace.core import Core
from app.workspace.drafts.drafts import Draft, load_drafts
from app.workspace.media.imports import Import, load_imports
from app.workspace.media.upload import Upload, load_uploads
from app.workspace.outbox.unanswered import Unanswered
from app.workspace.posts.planned import Timeline
from app.workspace.rescue import Rescue, put_back, set_aside, what_is_left
from app.workspace.store import loading
from app.workspace.store.first import FirstRows
from app.workspace.store.tables import MIGRATIONS
from app.workspace.sync.stream import Position, load_position
from app.workspace.undo import Step

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Kept:
    """The stored data that a workspace starts with."""

    first: FirstRows = field(default_factory=FirstRows)
    timeline: Timeline = field(default_factory=Timeline)
    steps: list[tuple[Step, bool]] = field(default_factory=list)
    unanswered: list[Unanswered] = field(default_factory=list)
    position: Position = field(default_factory=Position)
    drafts: list[Draft] = field(default_factory=list)
    uploads: list[Upload] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    rescue: Rescue | None = None


OpenDatabase = Callable[[Engine, str], Database]
"""Creates the database of an engine; the text is its name in error messages."""


async def open_kept(
    path: Path, first: FirstRows | None = None, open_database: OpenDatabase = Database
) -> tuple[Database, Kept]:
    """Open the file and read everything in it. Raises DatabaseError or OSError.

    A damaged file is renamed and replaced by a new one, with everything that can be rescued. ``first`` are
    the rows that were just read from it.
    """
    try:
        return await _open_and_read(path, first, open_database)
    except DatabaseDamagedError:
        _log.warning("the workspace's file is damaged and is set aside")
    aside = await asyncio.to_thread(set_aside, path)
    rows = await asyncio.to_thread(what_is_left, aside, path)
    database = await asyncio.to_thread(_open, path, open_database)
    await database.write(lambda connection: put_back(connection, rows))
    kept = await read_kept(database)
    drafts = len(rows["drafts"]) + sum(row.get("name") == "composer" for row in rows["settings"])
    kept.rescue = Rescue(aside, drafts, len(kept.first.intentions))
    return database, kept


async def _open_and_read(
    path: Path, first: FirstRows | None, open_database: OpenDatabase
) -> tuple[Database, Kept]:
    database = await asyncio.to_thread(_open, path, open_database)
    try:
        return database, await read_kept(database, first)
    except BaseException:
        await asyncio.to_thread(database.close)
        raise


def _open(path: Path, open_database: OpenDatabase) -> Database:
    engine = sqlite_engine(path)
    try:
        MIGRATIONS.upgrade(engine, path.name)
        with translated(path.name), engine.connect() as connection:
            _require_whole(connection, path.name)
    except BaseException:
        engine.dispose()
        raise
    return open_database(engine, path.name)


def _require_whole(connection: Connection, name: str) -> None:
    """Check the file for damage, in a few ms for ten thousand posts."""
    found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
    if found != "ok":
        raise DatabaseDamagedError(f"{name} is damaged: {found}")


async def read_kept(database: Database, first: FirstRows | None = None) -> Kept:
    """Read all rows, in chunks of two thousand posts. Raises DatabaseError."""
    kept = Kept(first or FirstRows())
    if first is None:
        after: int | None = 0
        while after is not None:
            after = await database.read(partial(_read_piece, after=after, first=kept.first))
        await database.read(lambda connection: kept.first.read_rest(connection.exec_driver_sql))
    await database.read(partial(_read_rest, kept=kept))
    return kept


def _read_piece(connection: Connection, *, after: int, first: FirstRows) -> int | None:
    return first.read_posts(connection.exec_driver_sql, after)


def _read_rest(connection: Connection, *, kept: Kept) -> None:
    kept.timeline = Timeline(kept.first.posts)  # sorting takes as long as reading
    kept.steps = loading.steps(connection)
    kept.unanswered = loading.unanswered(connection)
    kept.position = load_position(connection)
    kept.drafts = load_drafts(connection)
    kept.uploads = load_uploads(connection)
    kept.imports = load_imports(connection)


def take_up(core: Core, kept: Kept) -> None:
    """Load the undo history and the pending wishes into memory."""
    core.history.load(kept.steps)
    for key, service_id in kept.first.service_ids:
        core.mirror.identify(key, service_id)
    core.mirror.want(kept.first.intentions)
    core.mirror.await_late(kept.unanswered)
