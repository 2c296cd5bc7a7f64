"""The service's database: SQLite in a data folder, or PostgreSQL."""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.database import Database
from app.service.installation import EmbeddedInstallation, Installation, ServerInstallation
from app.service.store.folder import MIGRATIONS
from app.service.store.seal import Seal, open_seal
from tests.postgres import NoPostgresError, running_cluster

NAMES: Final = ("sqlite", "postgresql")


@dataclass(frozen=True)
class Store:
    """An open database that the service may also use, and the options of ``serve`` for it."""

    database: Database
    seal: Seal
    serve: Sequence[str]


@contextlib.contextmanager
def opened(name: str, folder: Path) -> Iterator[Store]:
    """Create a store of the kind ``name``."""
    with contextlib.ExitStack() as stack:
        where, serve = _sqlite(folder) if name == "sqlite" else _postgresql(stack, folder)
        database = where.open_database()
        stack.callback(database.close)
        with where.preparing(database):
            seal = open_seal(where.folder)
        yield Store(database, seal, serve)


def _sqlite(folder: Path) -> tuple[Installation, Sequence[str]]:
    return EmbeddedInstallation(folder), ("--data", str(folder))


def _postgresql(stack: contextlib.ExitStack, folder: Path) -> tuple[Installation, Sequence[str]]:
    """Create a separate cluster that flushes every commit to disk, as by default."""
    try:
        url = stack.enter_context(running_cluster()).create_database(MIGRATIONS)
    except NoPostgresError as reason:
        sys.exit(f"This needs PostgreSQL: {reason}")
    folder.mkdir()
    config = folder / "service.toml"
    config.write_text("")
    return ServerInstallation(config, url), ("--config", str(config), "--database-url", url)
