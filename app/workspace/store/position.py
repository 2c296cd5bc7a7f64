"""Forgets the position in a service's stream, after the calendar moved to another service."""

import sqlite3
from contextlib import closing
from pathlib import Path


def forget_position(database: Path) -> None:
    """Make a closed workspace list everything again. Blocking. Raises OSError."""
    if not database.exists():
        return
    try:
        with closing(sqlite3.connect(database)) as opened, opened:
            opened.execute("DELETE FROM settings WHERE name = 'sync'")
    except sqlite3.Error as error:
        raise OSError(str(error)) from error
