"""A disk that refuses some changes, as a full one does, or takes its time, and what it has after a crash."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from sqlalchemy import Connection

from app.workspace.workspace import Workspace
from tests.workspace.opened import until


async def refuse(workspace: Workspace, change: str, when: str = "TRUE") -> None:
    """From now on, no transaction with this change can be stored, such as ``DELETE ON outbox``."""
    trigger = (
        f"CREATE TRIGGER {_name(change, when)} BEFORE {change} WHEN {when} "
        "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
    )
    async with busy(workspace, trigger):
        pass


async def accept(workspace: Workspace, change: str, when: str = "TRUE") -> None:
    """End what ``refuse`` began."""
    async with busy(workspace, accepting(change, when)):
        pass


def accepting(change: str, when: str = "TRUE") -> str:
    """Return the statement that ends what ``refuse`` began."""
    return f"DROP TRIGGER {_name(change, when)}"


def _name(change: str, when: str) -> str:
    return f'"full {change} {when}"'


@asynccontextmanager
async def refusing(workspace: Workspace, change: str, when: str = "TRUE") -> AsyncIterator[None]:
    """Within it, no transaction with this change can be stored."""
    await refuse(workspace, change, when)
    try:
        yield
    finally:
        await accept(workspace, change, when)


@asynccontextmanager
async def busy(workspace: Workspace, sql: str = "") -> AsyncIterator[None]:
    """Within it, nothing is stored yet but this; what is to be stored counts as waiting."""
    database, begun, go = workspace._core.database, threading.Event(), threading.Event()

    def block(connection: Connection) -> None:
        if sql:
            connection.exec_driver_sql(sql)
            database.on_commit(database.engine.dispose)  # a changed schema confuses FTS5 in open connections
        begun.set()
        go.wait(30)

    # Writes queued together are committed together, so earlier ones would end only after this one.
    await until(lambda: not database.load().waiting_writes)
    blocked = database.submit(block)
    begun.wait(30)  # in the event loop, so that nothing is queued in between
    try:
        yield
    finally:
        go.set()
    await asyncio.wrap_future(blocked)


def crashed(folder: Path) -> Path:
    """Copy the database of a workspace as it is now on disk, to one with space; return the copy's folder."""
    copy = folder / "crashed"
    copy.mkdir(exist_ok=True)
    (copy / "workspace.db").unlink(missing_ok=True)
    known, other = (sqlite3.connect(place / "workspace.db") for place in (folder, copy))
    with closing(known), closing(other):
        known.backup(other)
        for (name,) in other.execute("SELECT name FROM sqlite_master WHERE name LIKE 'full %'").fetchall():
            other.execute(f'DROP TRIGGER "{name}"')
        other.commit()
    return copy
