"""An installation whose database is copied and restored in all the ways that users do it."""

import os
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from tests.benchmarks.killstorm.fleet import SETTINGS
from tests.benchmarks.killstorm.programs import Program, command
from tests.ports import free_port
from tests.postgres import Cluster, running_cluster

_WORKERS: Final = 2
_HASTY: Final = SETTINGS | {"confirm_absence": 1, "unknown_limit": 4}


class Fleet(ABC):
    """The practice platforms, and a service that publishes to them.

    Attributes:
        practice: The platforms, for their ledger.
        ways: Ways to restore a copy; a name that ends with ``+`` runs the restore command.
        key: Key of the one account.
    """

    ways: Sequence[str]
    practice: httpx.Client

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.copy = folder / "copy"
        self.key = ""
        self._account = ""
        self._programs: list[Program] = []

    @property
    @abstractmethod
    def place(self) -> list[str]:
        """Return the options of the installation."""

    @property
    def ready(self) -> Mapping[str, Any]:
        return self._programs[0].ready

    def set_up(self, practice_url: str) -> None:
        """Create an account and the programs."""
        self._account = command("account", "create", "--plan", "local", *self.place, "--name", "Robin Marsh")[
            "account_id"
        ]
        self.make_key()
        self._programs = self.make_programs(["--practice-url", practice_url])

    def make_key(self) -> None:
        self.key = command("key", "create", *self.place, "--account", self._account)["key"]

    @abstractmethod
    def make_programs(self, options: Sequence[str]) -> list[Program]:
        """Return the programs without starting them, with the API first."""

    def start(self) -> None:
        for program in self._programs:
            program.start()
        for program in self._programs:
            program.wait_until_ready()

    def kill(self) -> None:
        for program in self._programs:
            program.kill()

    def restart_workers(self) -> None:
        """Restart the processes that publish and don't serve the API."""
        for program in self._programs[1:]:
            program.kill()
            program.start()
        for program in self._programs[1:]:
            program.wait_until_ready()

    @abstractmethod
    def take_copy(self) -> None:
        """Copy the database after the programs were killed."""

    @abstractmethod
    def put_back(self, way: str) -> None:
        """Restore the copy after the programs were killed."""


class Embedded(Fleet):
    """A data folder."""

    ways = ("folder", "in place", "database", "backup+", "folder+")

    @property
    def place(self) -> list[str]:
        return ["--data", str(self.folder / "service")]

    def make_programs(self, options: Sequence[str]) -> list[Program]:
        return [_api([*self.place, *options], self.folder)]

    def take_copy(self) -> None:
        shutil.rmtree(self.copy, ignore_errors=True)
        data, backup = self.folder / "service", self.folder / "backup.zip"
        shutil.copytree(data, self.copy)
        backup.unlink(missing_ok=True)
        command("backup", *self.place, "--to", str(backup))

    def put_back(self, way: str) -> None:
        data = self.folder / "service"
        match way.removesuffix("+"):
            case "folder":
                shutil.rmtree(data)
                shutil.copytree(self.copy, data)
            case "in place":
                shutil.copytree(self.copy, data, dirs_exist_ok=True)
            case "database":
                for part in ("service.db", "service.db-wal", "service.db-shm"):
                    (data / part).unlink(missing_ok=True)
                    if (self.copy / part).exists():
                        shutil.copy(self.copy / part, data / part)
            case "backup":
                command("restore", *self.place, "--from", str(self.folder / "backup.zip"))
        if way == "folder+":
            command("restore", *self.place)


class Server(Fleet):
    """A PostgreSQL database, with one process for the API and several that publish."""

    ways = ("dump", "dump+", "template", "template+")

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        super().__init__(folder)
        self._cluster = cluster
        self._url = cluster.create_database()

    @property
    def place(self) -> list[str]:
        return ["--config", str(self.folder / "service" / "service.toml"), "--database-url", self._url]

    def make_programs(self, options: Sequence[str]) -> list[Program]:
        api = _api([*self.place, *options, "--without-workers"], self.folder)
        work = ["app.service", "worker", *self.place, *options]
        return [api, *(Program(work, self.folder / "service.log") for _ in range(_WORKERS))]

    def take_copy(self) -> None:
        self.copy.unlink(missing_ok=True)
        self._run("pg_dump", "-Fc", "-f", str(self.copy), self._url)
        self._sql(
            "DROP DATABASE IF EXISTS copied WITH (FORCE)", f"CREATE DATABASE copied TEMPLATE {self._name}"
        )

    def put_back(self, way: str) -> None:
        self._sql(f"DROP DATABASE {self._name} WITH (FORCE)")
        if way.startswith("dump"):
            self._sql(f"CREATE DATABASE {self._name} TEMPLATE template0")
            self._run("pg_restore", "-d", self._url, str(self.copy))
        else:
            self._sql(f"CREATE DATABASE {self._name} TEMPLATE copied")
        if way.endswith("+"):
            command("restore", *self.place)

    @property
    def _name(self) -> str:
        return self._url.partition("?")[0].rpartition("/")[2]

    def _sql(self, *statements: str) -> None:
        for statement in statements:
            self._run("psql", "-X", "-q", "-c", statement, self._cluster.url("postgres"))

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run([self._cluster.programs / program, *arguments], check=True, capture_output=True)


@contextmanager
def opened(folder: Path, store: str) -> Iterator[Fleet]:
    """Start everything, and kill the processes at the end."""
    with ExitStack() as stack:
        # Use a separate journal outside the folder for this storm.
        stack.callback(os.environ.update, {"XDG_STATE_HOME": os.environ.get("XDG_STATE_HOME", "")})
        os.environ["XDG_STATE_HOME"] = str(folder / "state")
        practice = Program(
            ["app.practice", "serve", "--data", str(folder / "practice")], folder / "practice.log"
        )
        stack.callback(practice.kill)
        practice.start()
        (folder / "service").mkdir(mode=0o700)
        lines = [f"{name} = {value}" for name, value in _HASTY.items()]
        (folder / "service" / "service.toml").write_text("\n".join(["[publishing]", *lines, ""]))
        fleet: Fleet
        if store == "sqlite":
            fleet = Embedded(folder)
        else:
            fleet = Server(folder, stack.enter_context(running_cluster(durable=False)))
        practice_url = practice.wait_until_ready()["base_url"]
        fleet.practice = stack.enter_context(httpx.Client(base_url=practice_url, trust_env=False, timeout=60))
        fleet.set_up(practice_url)
        stack.callback(fleet.kill)
        fleet.start()
        yield fleet


def told(way: str) -> str:
    """Return whether a way of restoring runs the command: ``always`` or ``never``."""
    return "always" if way.endswith("+") else "never"


def _api(options: Sequence[str], folder: Path) -> Program:
    ports = ["--port", str(free_port()), "--callback-port", str(free_port())]
    return Program(["app.service", "serve", *options, *ports, "--rate-limit", "off"], folder / "service.log")
