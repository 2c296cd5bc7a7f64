"""The service as a program: its commands, and a process that serves."""

import json
import os
import sqlite3
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import Connection

from app.service.store.folder import MIGRATIONS, DataFolder
from tests.migrated import lay
from tests.service import forked
from tests.service.forked import Forked

T = TypeVar("T")

SERVICE = (sys.executable, "-m", "app.service")

ROOT = Path(__file__).parents[2]

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0

unix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals and modes")


def run(*arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end, which must have that exit code."""
    done = forked.run(*map(str, arguments))
    assert done.returncode == code, done.stderr
    return done


def answer(*arguments: str | Path) -> dict[str, Any]:
    """The JSON line that a command prints last."""
    found: dict[str, Any] = json.loads(run(*arguments).stdout.splitlines()[-1])
    return found


def complaint(*arguments: str | Path, code: int = 1) -> str:
    """What a command that cannot work says: nothing on stdout, one sentence or two on stderr."""
    failed = run(*arguments, code=code)
    assert failed.stdout == ""
    said = [line for line in failed.stderr.splitlines() if not line.startswith("{")]
    assert len(said) == 1, failed.stderr
    assert said[0].endswith(".")
    return said[0]


@dataclass
class Started:
    """A serving process."""

    process: subprocess.Popen[str] | Forked
    ready: dict[str, Any]

    @property
    def base_url(self) -> str:
        return str(self.ready["base_url"])

    def client(self, key: str) -> httpx.Client:
        trust = ssl.create_default_context(cafile=self.ready["ca_file"])
        headers = {"Authorization": f"Bearer {key}"}
        return httpx.Client(
            base_url=f"{self.base_url}/api/v1", verify=trust, headers=headers, trust_env=False, timeout=60
        )

    def end(self) -> int:
        """Tells it to end and gives its exit code."""
        self.process.terminate()
        return self.process.wait(60)


@contextmanager
def serving(
    data: Path,
    *options: str,
    log: Path = Path(os.devnull),
    first_line: str = "",
    as_users_do: bool = False,
) -> Iterator[Started]:
    """Runs the service, and kills it at the end of the block.

    ``as_users_do`` starts a program, which takes a second longer than a forked process.
    """
    arguments = ["serve", "--data", str(data), "--callback-port", "0", *options]
    with (_program if as_users_do else _forked)(arguments, log) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdin.write(first_line)
        process.stdin.flush()
        try:
            yield Started(process, json.loads(process.stdout.readline()))
        finally:
            process.kill()


@contextmanager
def _program(arguments: list[str], log: Path) -> Iterator[subprocess.Popen[str]]:
    with (
        log.open("w", encoding="utf-8") as stderr,
        subprocess.Popen(
            [*SERVICE, *arguments],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as process,
    ):
        yield process


@contextmanager
def _forked(arguments: list[str], log: Path) -> Iterator[Forked]:
    with closing(Forked(arguments, log)) as process:
        yield process


def write(data: Path, work: Callable[[Connection], T]) -> T:
    folder = DataFolder(data)
    folder.make()
    lay(folder.database, MIGRATIONS)
    with closing(folder.open_database()) as database:
        return database.write_now(work)


def connect(data: Path, account: str) -> str:
    """Stores a connected account behind the service's back."""
    connection_id = uuid4()
    with sqlite3.connect(data / "service.db") as rows:
        rows.execute(
            "INSERT INTO connections (id, account_id, platform, account_identifier, is_available,"
            " access_token, created_at) VALUES (?, ?, 'linkedin', 'robin', 1, x'00', 0)",
            (connection_id.hex, UUID(account).hex),
        )
    rows.close()
    return str(connection_id)
