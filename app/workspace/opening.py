"""Opening a workspace's file and reading everything in it, without holding the window up."""

import asyncio
import logging
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sqlalchemy import Connection

from app.database import Database, DatabaseDamagedError
from app.database.engines import sqlite_engine
from app.database.errors import translated
from app.workspace.accounts.account import Account
from app.workspace.accounts.book import load_accounts
from app.workspace.core import Core
from app.workspace.drafts.drafts import Draft, load_drafts
from app.workspace.media.imports import Import, load_imports
from app.workspace.media.keeping import load_uploads
from app.workspace.media.upload import Upload
from app.workspace.outbox.intention import Intention
from app.workspace.posts.planned import PlannedPost
from app.workspace.posts.timeline import Timeline
from app.workspace.rescue import Rescue, put_back, set_aside, what_is_left
from app.workspace.slots.plan import load_slots
from app.workspace.slots.slots import Slot
from app.workspace.store import loading
from app.workspace.store.schema import MIGRATIONS
from app.workspace.sync.position import Position, load_position
from app.workspace.undo.step import Step

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Kept:
    """What a workspace begins with. ``service_ids`` lists posts whose id is not their key, None for no id."""

    timeline: Timeline = field(default_factory=Timeline)
    service_ids: list[tuple[str, str | None]] = field(default_factory=list)
    planned: list[tuple[str, str]] = field(default_factory=list)  # idempotency key and post key
    intentions: list[Intention] = field(default_factory=list)
    steps: list[tuple[Step, bool]] = field(default_factory=list)
    accounts: list[tuple[Account, bool]] = field(default_factory=list)
    position: Position = field(default_factory=Position)
    drafts: list[Draft] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)
    uploads: list[Upload] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    rescue: Rescue | None = None


async def open_kept(path: Path) -> tuple[Database, Kept]:
    """Opens the file and reads everything in it. Raises DatabaseError or OSError.

    A damaged file is set aside, and a new one made in its place, with what can be rescued.
    """
    try:
        return await _open_and_read(path)
    except DatabaseDamagedError:
        _log.warning("the workspace's file is damaged and is set aside")
    aside = await asyncio.to_thread(set_aside, path)
    rows = await asyncio.to_thread(what_is_left, aside, path)
    database = await asyncio.to_thread(_open, path)
    await database.write(lambda connection: put_back(connection, rows))
    kept = await read_kept(database)
    drafts = len(rows["drafts"]) + sum(row.get("name") == "composer" for row in rows["settings"])
    kept.rescue = Rescue(aside, drafts, len(kept.intentions))
    return database, kept


async def _open_and_read(path: Path) -> tuple[Database, Kept]:
    database = await asyncio.to_thread(_open, path)
    try:
        return database, await read_kept(database)
    except BaseException:
        await asyncio.to_thread(database.close)
        raise


def _open(path: Path) -> Database:
    engine = sqlite_engine(path)
    try:
        MIGRATIONS.upgrade(engine, path.name)
        with translated(path.name), engine.connect() as connection:
            _require_whole(connection, path.name)
    except BaseException:
        engine.dispose()
        raise
    return Database(engine, path.name)


def _require_whole(connection: Connection, name: str) -> None:
    """Takes some milliseconds for ten thousand posts."""
    found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
    if found != "ok":
        raise DatabaseDamagedError(f"{name} is damaged: {found}")


async def read_kept(database: Database) -> Kept:
    """Reads all rows, in pieces of two thousand posts. Raises DatabaseError."""
    kept = Kept()
    posts: list[PlannedPost] = []
    after: str | None = ""
    while after is not None:
        after = await database.read(partial(_read_piece, after=after, posts=posts, kept=kept))
    await database.read(partial(_read_rest, posts=posts, kept=kept))
    return kept


def _read_piece(connection: Connection, *, after: str, posts: list[PlannedPost], kept: Kept) -> str | None:
    piece = loading.post_piece(connection, after)
    for post, identity in piece:
        posts.append(post)
        if identity.service_id != identity.key:
            kept.service_ids.append((identity.key, identity.service_id))
        if identity.idempotency_key:
            kept.planned.append((identity.idempotency_key, identity.key))
    return piece[-1][0].key if len(piece) == loading.PIECE else None


def _read_rest(connection: Connection, *, posts: list[PlannedPost], kept: Kept) -> None:
    kept.timeline = Timeline(posts)  # sorting takes as long as reading
    kept.intentions = loading.intentions(connection)
    kept.steps = loading.steps(connection)
    kept.accounts = load_accounts(connection)
    kept.position = load_position(connection)
    kept.drafts = load_drafts(connection)
    kept.slots = load_slots(connection)
    kept.uploads = load_uploads(connection)
    kept.imports = load_imports(connection)


def take_up(core: Core, kept: Kept) -> None:
    """Gives memory the steps that were done, and what is still wanted."""
    core.history.load(kept.steps)
    for key, service_id in kept.service_ids:
        core.mirror.identify(key, service_id)
    core.mirror.want(kept.intentions)
