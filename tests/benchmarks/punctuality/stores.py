"""Where the service's rows are: a data folder with SQLite, or PostgreSQL beside it."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.database import Database
from app.service.store.folder import DataFolder
from app.service.store.seal import Seal
from app.service.store.secrets import open_seal

NAMES: Final = ("sqlite", "postgresql")


@dataclass(frozen=True)
class Store:
    """An open store, also while the service works on it, and the options by which ``serve`` finds it."""

    database: Database
    seal: Seal
    serve: Sequence[str]


@contextlib.contextmanager
def opened(name: str, folder: Path) -> Iterator[Store]:
    """A new store of the kind ``name``."""
    if name != "sqlite":
        raise SystemExit("PostgreSQL is not there yet.")
    data = DataFolder(folder)
    database = data.open_database()
    try:
        yield Store(database, open_seal(data), ("--data", str(folder)))
    finally:
        database.close()
