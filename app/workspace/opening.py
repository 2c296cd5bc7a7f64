"""Opening a workspace's file and reading everything in it, without holding the window up."""

import asyncio
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sqlalchemy import Connection

from app.database import Database
from app.database.engines import sqlite_engine
from app.workspace.accounts.account import Account
from app.workspace.accounts.book import load_accounts
from app.workspace.outbox.intention import Intention
from app.workspace.posts.planned import PlannedPost
from app.workspace.posts.timeline import Timeline
from app.workspace.store import loading
from app.workspace.store.schema import MIGRATIONS
from app.workspace.sync.position import Position, load_position
from app.workspace.undo.step import Step


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


async def open_database(path: Path) -> Database:
    """Opens the file and brings its tables up to date. Raises DatabaseError or OSError."""

    def work() -> Database:
        engine = sqlite_engine(path)
        try:
            MIGRATIONS.upgrade(engine, path.name)
        except BaseException:
            engine.dispose()
            raise
        return Database(engine, path.name)

    return await asyncio.to_thread(work)


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
