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
from tests.benchmarks.killstorm.programs import Program, command
from tests.ports import free_port
from tests.postgres import running_cluster

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
class Fleet:
    """Everything that runs.

    Attributes:
        practice: The platforms, for their ledger and weather.
        api: Serves the API.
        mortal: What's killed and stalled, one at a time.
        key: Key of the one account.
        workers: Mortal processes that aren't started yet.
        clocks: Clocks of the mortal processes.
        renewals: Reads the leases of renewals directly from the database.
        refusals_left: Returns the number of scheduled refusals without a call yet.
    """

    practice: httpx.Client
    api: Program
    mortal: Sequence[Program]
    key: str
    workers: Sequence[Program]
    clocks: Clocks
    renewals: Callable[[], Renewals]
    refusals_left: Callable[[], int]

    def start_workers(self) -> None:
        """Start the remaining processes."""
        for program in self.workers:
            program.start()
        for program in self.workers:
            program.wait_until_ready()


@contextmanager
def opened(folder: Path, store: str, shifts: Random | None = None) -> Iterator[Fleet]:
    """Start everything except workers, and kill the processes at the end.

    ``shifts``: a process may start with a clock that's off by an hour, and may be set while it runs. With
    several workers, the first one's clock is always right. On ``sqlite``, one process does everything. On
    ``postgresql``, one serves the API and three publish.
    """
    with ExitStack() as stack:
        practice = Program(
            ["app.practice", "serve", "--data", str(folder / "practice")], folder / "practice.log"
        )
        stack.callback(practice.kill)
        practice.start()
        place, renewals = _place(folder / "service", store, stack)
        account = command("account", "create", "--plan", "local", *place, "--name", "Robin Marsh")[
            "account_id"
        ]
        key = command("key", "create", *place, "--account", account)["key"]
        practice_url = practice.wait_until_ready()["base_url"]
        options, clocks = [*place, "--practice-url", practice_url], Clocks(shifts)
        api, *workers = _programs(options, store, folder / "service.log", clocks.draw)
        for program in (api, *workers):
            stack.callback(program.kill)
        api.start()
        api.wait_until_ready()
        platforms = stack.enter_context(httpx.Client(base_url=practice_url, trust_env=False, timeout=60))
        ledger = folder / "practice" / "practice.sqlite3"
        yield Fleet(
            practice=platforms,
            api=api,
            mortal=workers or [api],
            key=key,
            workers=workers,
            clocks=clocks,
            renewals=renewals,
            refusals_left=lambda: int(str(_read_file(ledger, _REFUSALS)[0][0])),
        )


def _place(folder: Path, store: str, stack: ExitStack) -> tuple[Sequence[str], Callable[[], Renewals]]:
    """Create an installation and return its options. Its database runs as long as the stack."""
    folder.mkdir(mode=0o700)
    lines = [f"{name} = {value}" for name, value in SETTINGS.items()]
    settings = folder / "service.toml"
    settings.write_text("\n".join(["[publishing]", *lines, ""]))
    if store == "sqlite":
        return ["--data", str(folder)], lambda: frozenset(_read_file(folder / "service.db", _RENEWALS))
    url = stack.enter_context(running_cluster()).create_database()
    return ["--config", str(settings), "--database-url", url], lambda: frozenset(_read_server(url))


def _read_file(file: Path, query: str) -> list[tuple[object, object]]:
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=30)) as rows:
        return rows.execute(query).fetchall()


def _read_server(url: str) -> list[tuple[object, object]]:
    with psycopg.connect(url, autocommit=True) as rows:
        return rows.execute(_RENEWALS).fetchall()


def _programs(options: Sequence[str], store: str, log: Path, clock: Callable[[], Clock]) -> list[Program]:
    """Return the processes, with the API first."""
    ports = ["--port", str(free_port()), "--callback-port", str(free_port())]
    alone = ["app.service", "serve", *options, *ports, "--rate-limit", "off"]
    if store == "sqlite":
        return [Program(alone, log, clock)]
    worker = ["app.service", "worker", *options]
    workers = [Program(worker, log), *(Program(worker, log, clock) for _ in range(_WORKERS - 1))]
    return [Program([*alone, "--without-workers"], log), *workers]
