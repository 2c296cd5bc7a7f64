"""Copies of a SQLite database that others may be writing to."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from app.disk import flush_folder, replace

_KEPT: Final = 2
"""How many copies from before a new version are kept."""


def copy_database(source: Path, target: Path) -> None:
    """Copies what is committed at one moment, while others go on writing. Blocking.

    The copy is its owner's alone, whole or not there at all. Raises sqlite3.Error or OSError.
    """
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True, timeout=30)) as here,
            closing(sqlite3.connect(part)) as there,
        ):
            here.backup(there)
            there.execute("PRAGMA journal_mode=DELETE").fetchone()
        with part.open("rb+") as written:
            os.fsync(written.fileno())
        replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    flush_folder(target.parent)


def keep_before(database: Path, version: str) -> None:
    """Keeps the database as it is before a newer version of the program changes it. Blocking.

    Raises sqlite3.Error or OSError, for example where there is no room.
    """
    copy = database.with_name(f"{database.name}.before-{version}")
    if not copy.exists():
        copy_database(database, copy)
    kept = sorted(database.parent.glob(f"{database.name}.before-[0-9]*"), key=lambda one: one.name)
    for old in kept[:-_KEPT]:
        old.unlink(missing_ok=True)
