"""SQLite files with all tables, copied from templates because migrating each would take much longer."""

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from app.database import Migrations
from app.database.dialects import sqlite_engine

_made: Final[dict[Path, bytes]] = {}


def lay(path: Path, migrations: Migrations) -> None:
    """Create a file of the newest version if there is none."""
    if migrations.folder not in _made:
        _made[migrations.folder] = _make(migrations)
    with suppress(FileExistsError), path.open("xb") as file:
        file.write(_made[migrations.folder])


def _make(migrations: Migrations) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "template.db")
        engine = sqlite_engine(path)
        migrations.upgrade(engine, "the template")
        engine.dispose()  # which empties the log into the file
        return path.read_bytes()
