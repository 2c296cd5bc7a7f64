"""Opens a workspace's file and reads everything in it, without blocking the window."""

import asyncio
import json
import logging
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, text

from app.database import Database, DatabaseDamagedError
from app.database.dialects import sqlite_engine
from app.database.errors import translated
from app.disk import move, write_whole
from app.language import tr, trn
from app.workspace.core import Core
from app.workspace.drafts.drafts import Draft, load_drafts
from app.workspace.media.imports import Import, load_imports
from app.workspace.media.upload import Upload, load_uploads
from app.workspace.outbox.refusals import Refusal, load_refusals
from app.workspace.outbox.unanswered import Unanswered
from app.workspace.posts.planned import Timeline
from app.workspace.store import loading
from app.workspace.store.first import FirstRows
from app.workspace.store.tables import MIGRATIONS
from app.workspace.sync.stream import Position, load_position
from app.workspace.undo import Step

_log = logging.getLogger(__name__)


# Drafts, unsent posts and pending changes are read from the damaged file as far as possible. What's missing
# comes from a copy of those rows, which is next to the file and rewritten soon after each change. The
# service has everything else.
Rows = Mapping[str, list[dict[str, Any]]]
"""Rows by the name of their table."""

_IRREPLACEABLE: Final = {
    "drafts": "SELECT * FROM drafts",
    "slots": "SELECT * FROM slots",
    "settings": "SELECT * FROM settings WHERE name NOT IN ('sync', 'metrics')",
    "posts": "SELECT * FROM posts WHERE service_id IS NULL OR key IN (SELECT key FROM outbox)",
    "outbox": "SELECT * FROM outbox",
    "uploads": "SELECT * FROM uploads",
}
"""In the order in which they're restored."""
_KEYS: Final = {
    "drafts": ("id",),
    "slots": ("account_key", "weekday", "minute"),
    "settings": ("name",),
    "posts": ("key",),
    "outbox": ("key",),
    "uploads": ("id",),
}
_SAVE_AFTER_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Rescue:
    """What happened to a damaged file: where it is now, and how much was rescued from it."""

    set_aside: Path
    drafts: int
    slots: int
    changes: int

    @property
    def words(self) -> str:
        """The text for the user."""
        return tr(
            "The calendar's file was damaged and moved to {file}. Accounts and posts come back from the "
            "service. {recovered} Earlier changes can no longer be undone.",
            file=self.set_aside.name,
            recovered=self._recovered,
        )

    @property
    def _recovered(self) -> str:
        found = [
            *([trn("{n} draft", "{n} drafts", self.drafts)] if self.drafts else []),
            *([trn("{n} posting time", "{n} posting times", self.slots)] if self.slots else []),
            *([trn("{n} unsent change", "{n} unsent changes", self.changes)] if self.changes else []),
        ]
        if found:
            return tr("Also recovered: {things}.", things=", ".join(found))
        return tr("No drafts, posting times or unsent changes could be recovered.")


def copy_path(file: Path) -> Path:
    """Return the path of the copy of the irreplaceable rows."""
    return file.with_suffix(".kept.json")


def set_aside(file: Path) -> Path:
    """Rename a database with its other files; return its new path. Blocking; raises OSError."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    aside = file.with_name(f"{file.stem}.damaged-{stamp}{file.suffix}")
    for suffix in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            move(file.with_name(file.name + suffix), aside.with_name(aside.name + suffix))
    return aside


def what_is_left(aside: Path, file: Path) -> Rows:
    """Return the irreplaceable rows of a damaged file, completed by the copy. Blocking."""
    copied = _read_copy(copy_path(file))
    left: dict[str, list[dict[str, Any]]] = {}
    for table, key in _KEYS.items():
        found = {tuple(row.get(name) for name in key): row for row in copied.get(table, [])}
        read = _read_damaged(aside, _IRREPLACEABLE[table])
        found |= {tuple(row.get(name) for name in key): row for row in read}
        left[table] = list(found.values())
    posts = {row.get("key") for row in left["posts"]}
    left["outbox"] = [row for row in left["outbox"] if row.get("key") in posts]
    return left


def put_back(connection: Connection, rows: Rows) -> None:
    """Write rescued rows into a new database; rows that no longer fit are omitted."""
    for table in _IRREPLACEABLE:
        columns = {str(row.name) for row in connection.execute(text(f"PRAGMA table_info({table})"))}
        for row in rows.get(table, []):
            values = {name: value for name, value in row.items() if name in columns}
            names, places = ", ".join(values), ", ".join(f":{name}" for name in values)
            put = text(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({places})")  # noqa: S608  our names
            with suppress(Exception), connection.begin_nested():
                connection.execute(put, values)


def _read_copy(file: Path) -> Rows:
    try:
        rows = json.loads(file.read_bytes())
        return {table: [dict(row) for row in rows[table]] for table in _IRREPLACEABLE if table in rows}
    except (OSError, ValueError, TypeError):
        return {}


def _read_damaged(file: Path, query: str) -> list[dict[str, Any]]:
    """Read as many rows as possible."""
    rows: list[dict[str, Any]] = []
    with suppress(sqlite3.Error), closing(sqlite3.connect(file)) as connection:
        connection.row_factory = sqlite3.Row
        for row in connection.execute(query):
            rows.append(dict(row))  # noqa: PERF401  those before the damage are kept
    return rows


class Keepsake:
    """Writes the copy in the background, a moment after a change."""

    def __init__(self, database: Database, file: Path) -> None:
        self._database = database
        self._file = copy_path(file)
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._last = b""
        self._forget = database.on_commit(self._committed)

    async def close(self) -> None:
        """Write it for the last time."""
        self._forget()
        if self._timer:
            self._timer.cancel()
        if self._task:
            await self._task
        await self._save()

    def _committed(self) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._begin)

    def _begin(self) -> None:
        if self._timer is None:
            self._timer = self._loop.call_later(_SAVE_AFTER_S, self._start)

    def _start(self) -> None:
        self._timer = None
        if self._task is not None and not self._task.done():
            self._begin()  # two writes would overwrite each other; this one's disk is slow
            return
        self._task = self._loop.create_task(self._save())

    async def _save(self) -> None:
        try:
            rows = await self._database.read(_read)
            await asyncio.to_thread(self._write, json.dumps(rows).encode())
        except Exception:  # noqa: BLE001  a copy that fails must not end anything else
            _log.warning("the copy of drafts and unsent posts could not be written", exc_info=True)

    def _write(self, content: bytes) -> None:
        if content == self._last:
            return
        write_whole(self._file, content)
        self._last = content


def _read(connection: Connection) -> Rows:
    return {
        table: [dict(row) for row in connection.execute(text(query)).mappings()]
        for table, query in _IRREPLACEABLE.items()
    }


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
    refused: tuple[Refusal, ...] = ()
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
    kept.rescue = Rescue(aside, drafts, len(rows["slots"]), len(kept.first.intentions))
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
    kept.refused = load_refusals(connection)


def take_up(core: Core, kept: Kept) -> None:
    """Load the undo history and the pending wishes into memory."""
    core.history.load(kept.steps)
    for key, service_id in kept.first.service_ids:
        core.mirror.identify(key, service_id)
    core.mirror.want(kept.first.intentions)
    core.mirror.await_late(kept.unanswered)
