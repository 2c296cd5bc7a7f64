"""The service's database: SQLite in a data folder, or PostgreSQL."""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from app.database import Database
from app.service.installation import EmbeddedInstallation, Installation, ServerInstallation
from app.service.store.folder import MIGRATIONS
from app.service.store.seal import Seal, open_seal
from tests.postgres import Cluster, NoPostgresError, running_cluster

NAMES: Final = ("sqlite", "postgresql")


@dataclass(frozen=True)
class Store:
    """An open database that the service may also use, and the options of ``serve`` for it."""

    database: Database
    seal: Seal
    serve: Sequence[str]
    cluster: Cluster | None = None

    @property
    def is_shared(self) -> bool:
        """Whether several processes may use it."""
        return self.cluster is not None

    def server_cpu_s(self) -> float:
        """Return the CPU time of the database server so far in s; 0 without one."""
        if self.cluster is None:
            return 0.0
        server = psutil.Process(int((self.cluster.folder / "data/postmaster.pid").read_text().split()[0]))
        total = sum(server.cpu_times()[:4])  # with processes that have ended
        for process in server.children():
            with contextlib.suppress(psutil.NoSuchProcess):
                total += sum(process.cpu_times()[:2])
        return float(total)


@contextlib.contextmanager
def opened(name: str, folder: Path) -> Iterator[Store]:
    """Create a store of the kind ``name``."""
    with contextlib.ExitStack() as stack:
        cluster = None if name == "sqlite" else _cluster(stack)
        where, serve = _postgresql(cluster, folder) if cluster else _sqlite(folder)
        database = where.open_database()
        stack.callback(database.close)
        with where.preparing(database):
            seal = open_seal(where.folder)
        yield Store(database, seal, serve, cluster)


def _sqlite(folder: Path) -> tuple[Installation, Sequence[str]]:
    return EmbeddedInstallation(folder), ("--data", str(folder))


def _cluster(stack: contextlib.ExitStack) -> Cluster:
    """Start a separate cluster that flushes every commit to disk, as by default."""
    try:
        return stack.enter_context(running_cluster())
    except NoPostgresError as reason:
        sys.exit(f"This needs PostgreSQL: {reason}")


def _postgresql(cluster: Cluster, folder: Path) -> tuple[Installation, Sequence[str]]:
    url = cluster.create_database(MIGRATIONS)
    folder.mkdir()
    config = folder / "service.toml"
    config.write_text("")
    return ServerInstallation(config, url), ("--config", str(config), "--database-url", url)
