"""A disk that takes some writes and not others, or takes its time, and what it has after a crash."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from sqlalchemy import Connection

from tests.workspace.opened import Opened, until


@asynccontextmanager
async def refusing(workspace: Opened, operation: str, when: str = "TRUE") -> AsyncIterator[None]:
    """Within it, no transaction with this operation can be stored, such as ``DELETE ON outbox``."""
    trigger = (
        f"CREATE TRIGGER full BEFORE {operation} WHEN {when} "
        "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
    )
    await workspace._core.commit(lambda connection: connection.exec_driver_sql(trigger))
    try:
        yield
    finally:
        await workspace._core.commit(lambda connection: connection.exec_driver_sql("DROP TRIGGER full"))


@asynccontextmanager
async def busy(workspace: Opened, sql: str = "") -> AsyncIterator[None]:
    """Within it, nothing is stored yet but this; until its end, at least one write has to be waiting."""
    database, begun, go = workspace._core.database, threading.Event(), threading.Event()

    def block(connection: Connection) -> None:
        if sql:
            connection.exec_driver_sql(sql)
        begun.set()
        go.wait(30)

    blocked = database.submit(block)
    try:
        await until(begun.is_set)
        yield
    finally:
        go.set()
    await asyncio.wrap_future(blocked)


def crashed(folder: Path) -> Path:
    """Copy the database of a workspace as it is now on disk; return the folder of the copy."""
    copy = folder / "crashed"
    copy.mkdir()
    known, other = (sqlite3.connect(place / "workspace.db") for place in (folder, copy))
    with closing(known), closing(other):
        known.backup(other)
    return copy
