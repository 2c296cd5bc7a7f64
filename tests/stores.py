"""Databases of tests: SQLite in a folder, or PostgreSQL.

Tests of differences run on both. ``pytest --store postgresql tests/service`` runs all others on PostgreSQL.
"""

import atexit
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Engine

from app.database import Database
from app.database.dialects import sqlite_engine
from app.database.postgresql import postgresql_engine, postgresql_url
from app.service.store.folder import MIGRATIONS, DataFolder
from tests.migrated import lay
from tests.postgres import Cluster, NoPostgresError, running_cluster

STORES: Final = ("sqlite", "postgresql")


class _Stores:
    """The session's selected store, one cluster, and its databases by folder."""

    def __init__(self) -> None:
        self.chosen = "sqlite"
        self._urls: dict[Path, str] = {}
        self._spare: list[str] = []
        self._cluster: Cluster | None = None

    @property
    def cluster(self) -> Cluster:
        if self._cluster is None:
            stack = contextlib.ExitStack()
            try:
                self._cluster = stack.enter_context(running_cluster(durable=False))
            except NoPostgresError as reason:
                pytest.skip(str(reason))
            atexit.register(stack.close)
        return self._cluster

    def url(self, root: Path) -> str:
        if root not in self._urls:
            self._urls[root] = self._spare.pop() if self._spare else self.cluster.create_database(MIGRATIONS)
        return self._urls[root]

    def take_back(self, folder: Path) -> None:
        """Recycle the databases of a folder and its subfolders, if they're clean."""
        for root in [root for root in self._urls if root.is_relative_to(folder)]:
            if self.cluster.clear_database(url := self._urls.pop(root)):
                self._spare.append(url)


_stores: Final = _Stores()


ON_BOTH: Final = [
    pytest.mark.usefixtures("store"),
    pytest.mark.parametrize("store", STORES, indirect=True),
]
"""Marks of a module whose tests open their own stores: they run on each of STORES."""


def choose(store: str) -> None:
    """Select the store for tests without a preference."""
    _stores.chosen = store


@contextlib.contextmanager
def chosen(store: str) -> Iterator[str]:
    """Select a store during the block."""
    before, _stores.chosen = _stores.chosen, store
    try:
        yield store
    finally:
        _stores.chosen = before


def take_back(folder: Path) -> None:
    """Report the end of a test with stores in this folder."""
    _stores.take_back(folder)


def sqlite_alone(why: str) -> pytest.MarkDecorator:
    """Mark tests of SQLite-only features, which are skipped with another store."""
    return pytest.mark.skipif(_stores.chosen != "sqlite", reason=why)


def postgres_cluster() -> Cluster:
    """Return the session's PostgreSQL, which doesn't flush commits. Skips the test if there is none."""
    return _stores.cluster


def empty_engine(root: Path, store: str) -> Engine:
    """Return an engine for a new database without tables."""
    if store == "sqlite":
        return sqlite_engine(root / "store.db")
    return postgresql_engine(postgresql_url(postgres_cluster().create_database()))


def service_engine(root: Path, store: str | None = None) -> Engine:
    """Return an engine for the store of a service in ``root``, with all tables.

    A second one has the same rows.

    ``store`` is one of STORES; None for the selected one.
    """
    if (store or _stores.chosen) == "sqlite":
        engine = sqlite_engine(root / "service.db", readers=5)
        lay(root / "service.db", MIGRATIONS)
        return engine
    engine = postgresql_engine(postgresql_url(_stores.url(root)))
    engine.hide_parameters = True
    return engine


def service_store(root: Path, store: str | None = None) -> Database:
    """Return the store of a service in ``root`` like the service opens it.

    Otherwise like ``service_engine``.
    """
    folder = DataFolder(root)
    folder.make()
    if (store or _stores.chosen) == "sqlite":
        lay(folder.database, MIGRATIONS)
        return folder.open_database()
    return Database(service_engine(root, store), "The database of this test")
