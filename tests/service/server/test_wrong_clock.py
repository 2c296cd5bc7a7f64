"""Commands on a machine of a server whose clock is wrong: what counts is the database's."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import insert

from app.database import Database
from app.service.accounts.accounts import Plan, create_account
from app.service.clock import system_clock
from app.service.installation import ServerInstallation
from app.service.store.tables import connections, posts
from tests.service.programs import ROOT
from tests.stores import postgres_cluster

_AHEAD_S = 120
"""Longer than a lease."""


class Server:
    """A server's settings, and its database."""

    def __init__(self, config: Path, database: Database) -> None:
        self.config, self.database = config, database
        now = system_clock()
        self.account = database.write_now(lambda rows: create_account(rows, "Ines", Plan.STUDIO, now))
        self.connection = uuid4()
        self.put(
            connections,
            id=self.connection,
            account_id=self.account,
            platform="mastodon",
            account_identifier="ines",
            is_available=True,
            access_token=b"sealed",
            created_at=now,
        )

    def put(self, table: Any, **row: Any) -> None:
        self.database.write_now(lambda rows: rows.execute(insert(table).values(row)))

    def put_post(self, **more: Any) -> UUID:
        post = {"id": uuid4(), "account_id": self.account, "connection_id": self.connection}
        about = {"platform": "mastodon", "post_type": "text", "created_via": "rest"}
        self.put(posts, **post, **about, created_at=system_clock(), **more)
        return post["id"]

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Runs a command whose clock is ahead."""
        ahead = str(_AHEAD_S)
        shifted = [sys.executable, "-m", "tests.benchmarks.killstorm.shifted", ahead, ahead, "0"]
        command = [*shifted, "app.service", *map(str, arguments), "--config", str(self.config)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    config = tmp_path / "server.toml"
    url = postgres_cluster().create_database()
    config.write_text(f"[server]\ndatabase_url = '{url}'\nfolder = 'state'\n", encoding="utf-8")
    with closing(ServerInstallation(config).open_database()) as database:
        yield Server(config, database)


def test_an_export_waits_for_a_post_that_a_worker_is_publishing(server: Server, tmp_path: Path) -> None:
    now = system_clock()
    server.put_post(
        status="processing",
        scheduled_at=now,
        claimed_by=uuid4(),
        claimed_until=now + timedelta(seconds=_AHEAD_S / 2),
    )
    export = ("export", "--all", "--to", tmp_path / "export", "--without-secrets", "--wait", "0")
    done = server.run(*export)
    assert done.returncode == 1, done.stdout
    assert "still being published" in done.stderr


@pytest.mark.parametrize("command", ["status", "doctor"])
def test_a_post_is_not_late_before_its_time(server: Server, command: str) -> None:
    server.put_post(status="scheduled", scheduled_at=system_clock() + timedelta(seconds=_AHEAD_S / 2))
    done = server.run(command)
    assert "oldest" not in done.stdout
    assert done.returncode in (0, 1), done.stderr
