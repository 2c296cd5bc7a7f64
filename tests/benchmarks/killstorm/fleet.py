"""The programs of a storm: the practice platforms, and the service as one or several processes."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

import httpx
import psycopg

from tests.benchmarks.killstorm.clocks import Clock, Clocks
from tests.benchmarks.killstorm.network import Network
from tests.benchmarks.killstorm.programs import Program, command
from tests.ports import free_port
from tests.postgres import Cluster, running_cluster
from tests.service.media.bucket import NAME, Bucket, running_bucket

_WORKERS: Final = 3
_RENEWALS: Final = "SELECT id, renewing_until FROM connections WHERE renewing_until IS NOT NULL"
_REFUSALS: Final = "SELECT coalesce(sum(remaining), 0) FROM faults WHERE operation = 'publish'"

Renewals = frozenset[tuple[object, object]]
"""Accounts whose tokens a process is renewing, or was when it died, with the end of its lease."""

SETTINGS: Final = {
    "settle_delay": 0.5,
    "look_longest": 5,
    "confirm_absence": 2,
    "unknown_limit": 60,
    "retry_first": 0.5,
    "retry_longest": 5,
    "lease": 6,
    "refused_for": 15,
    "reconnect_look": 2,
}
"""Shorter delays for a shorter storm, in s, without changing their meaning."""


@dataclass(frozen=True)
class Shape:
    """What an installation consists of.

    Attributes:
        store: On ``sqlite``, one process does everything. On ``postgresql``, three workers publish.
        apis: Number of processes with the API; more than one only on ``postgresql``.
        has_bucket: Whether files are in a stand-in for S3 instead of a folder.
        fates: Decides how connections survive cuts of the network between all processes and ``postgresql``.
            None for a direct connection.
        shifts: A process may start with a clock that's off by an hour, and may be set while it runs. With
            several workers, the first one's clock is always right. None for right clocks.
    """

    store: str
    apis: int = 1
    has_bucket: bool = False
    fates: Random | None = None
    shifts: Random | None = None


@dataclass(frozen=True)
class Database:
    """The database server and the network in front of it, if there are any.

    Attributes:
        options: Options of commands on the installation.
        renewals: Reads the leases of renewals, past the network.
    """

    options: Sequence[str]
    renewals: Callable[[], Renewals]
    server: Cluster | None = None
    network: Network | None = None


@dataclass(frozen=True)
class Fleet:
    """Everything that runs.

    Attributes:
        practice: The platforms, for their ledger and weather.
        apis: Serve the API.
        mortal: What's killed and stalled, one at a time.
        key: Key of the one account.
        workers: Mortal processes that aren't started yet.
        clocks: Clocks of the mortal processes.
        database: What the processes share.
        refusals_left: Returns the number of scheduled refusals without a call yet.
        bucket: Where files are, if not in a folder.
    """

    practice: httpx.Client
    apis: Sequence[Program]
    mortal: Sequence[Program]
    key: str
    workers: Sequence[Program]
    clocks: Clocks
    database: Database
    refusals_left: Callable[[], int]
    bucket: Bucket | None = None

    @property
    def programs(self) -> Sequence[Program]:
        """All processes of the service, each once."""
        return [*self.apis, *self.workers]

    def start_workers(self) -> None:
        """Start the remaining processes."""
        for program in self.workers:
            program.start()
        for program in self.workers:
            program.wait_until_ready()


@contextmanager
def opened(folder: Path, shape: Shape) -> Iterator[Fleet]:
    """Start everything except workers, and kill the processes at the end."""
    with ExitStack() as stack:
        practice = Program(
            ["app.practice", "serve", "--data", str(folder / "practice")], folder / "practice.log"
        )
        stack.callback(practice.kill)
        practice.start()
        bucket = stack.enter_context(running_bucket(folder)) if shape.has_bucket else None
        database = _database(folder / "service", shape, bucket, stack)
        place = database.options
        account = command("account", "create", "--plan", "local", *place, "--name", "Robin Marsh")[
            "account_id"
        ]
        key = command("key", "create", *place, "--account", account)["key"]
        practice_url = practice.wait_until_ready()["base_url"]
        options, clocks = [*place, "--practice-url", practice_url], Clocks(shape.shifts)
        apis, workers = _programs(options, shape, folder / "service.log", clocks.draw)
        for program in (*apis, *workers):
            stack.callback(program.kill)
        for api in apis:
            api.start()
            api.wait_until_ready()  # the first one creates certificates
        platforms = stack.enter_context(httpx.Client(base_url=practice_url, trust_env=False, timeout=60))
        ledger = folder / "practice" / "practice.sqlite3"
        yield Fleet(
            practice=platforms,
            apis=apis,
            mortal=workers or apis,
            key=key,
            workers=workers,
            clocks=clocks,
            database=database,
            refusals_left=lambda: int(str(_read_file(ledger, _REFUSALS)[0][0])),
            bucket=bucket,
        )


def _database(folder: Path, shape: Shape, bucket: Bucket | None, stack: ExitStack) -> Database:
    """Create an installation. Its database runs as long as the stack."""
    folder.mkdir(mode=0o700)
    lines = ["[publishing]", *(f"{name} = {value}" for name, value in SETTINGS.items())]
    settings = folder / "service.toml"
    settings.write_text("\n".join([*lines, *_bucket_lines(bucket), ""]))
    if shape.store == "sqlite":
        options = ["--data", str(folder)]
        return Database(options, lambda: frozenset(_read_file(folder / "service.db", _RENEWALS)))
    server = stack.enter_context(running_cluster())
    direct = address = server.create_database()
    network = None
    if shape.fates is not None:
        network = stack.enter_context(Network(server.socket, shape.fates).running())
        address = server.url_through(network.port, direct)
    options = ["--config", str(settings), "--database-url", address]
    return Database(options, lambda: frozenset(_read_server(direct)), server, network)


def _bucket_lines(bucket: Bucket | None) -> list[str]:
    if bucket is None:
        return []
    place = f'bucket = "{NAME}"', f'endpoint = "{bucket.settings.endpoint}"', "path_style = true"
    return ["[media.s3]", *place, f'credentials_file = "{bucket.settings.credentials_file}"']


def _read_file(file: Path, query: str) -> list[tuple[object, object]]:
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=30)) as rows:
        return rows.execute(query).fetchall()


def _read_server(url: str) -> list[tuple[object, object]]:
    with psycopg.connect(url, autocommit=True) as rows:
        return rows.execute(_RENEWALS).fetchall()


def _programs(
    options: Sequence[str], shape: Shape, log: Path, clock: Callable[[], Clock]
) -> tuple[list[Program], list[Program]]:
    """Return the processes with the API, and the workers."""
    serving = ["app.service", "serve", *options, "--rate-limit", "off"]
    if shape.store == "sqlite":
        return [Program([*serving, *_ports()], log, clock)], []
    apis = [Program([*serving, *_ports(), "--without-workers"], log) for _ in range(shape.apis)]
    worker = ["app.service", "worker", *options]
    return apis, [Program(worker, log), *(Program(worker, log, clock) for _ in range(_WORKERS - 1))]


def _ports() -> list[str]:
    return ["--port", str(free_port()), "--callback-port", str(free_port())]
