"""A disk that refuses certain changes: a full one still takes small transactions."""

import itertools
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import delete, insert

from app.workspace.store.tables import MIGRATIONS, settings
from tests.migrated import lay
from tests.workspace.opened import Opened


def prepare(folder: Path) -> None:
    """Create a file whose transactions can be refused. Later, a changed schema would confuse FTS5."""
    lay(folder / "workspace.db", MIGRATIONS)
    with closing(sqlite3.connect(folder / "workspace.db")) as connection:
        for change, table in itertools.product(("INSERT", "DELETE"), ("posts", "drafts")):
            name = f"{change} {table}"
            is_full = f"EXISTS (SELECT 1 FROM settings WHERE name = 'full {name}')"  # noqa: S608  our names
            abort = "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
            connection.execute(
                f'CREATE TRIGGER "{name}" BEFORE {name.replace(" ", " ON ")} WHEN {is_full} {abort}'
            )
        connection.commit()


async def refuse(workspace: Opened, change: str) -> None:
    """From now on, the disk refuses all transactions with this change of a table."""
    full = insert(settings).values(name=f"full {change}", value="true")
    await workspace._core.commit(lambda rows: rows.execute(full))


async def accept(workspace: Opened, change: str) -> None:
    await workspace._core.commit(
        lambda rows: rows.execute(delete(settings).where(settings.c.name == f"full {change}"))
    )
