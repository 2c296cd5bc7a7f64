"""Recycled test databases, only those that are like new, and what killed runs leave behind."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from app.service.store.folder import MIGRATIONS
from tests.postgres import remove_left_clusters
from tests.stores import postgres_cluster

_ACCOUNT = """
INSERT INTO accounts (id, name, plan, status, created_at) VALUES (%s, 'Ines', 'local', 'active', 0)
"""


def test_only_a_database_that_nobody_uses_or_has_changed_is_made_as_new() -> None:
    cluster = postgres_cluster()
    url = cluster.create_database(MIGRATIONS)
    with psycopg.connect(url) as connection:
        connection.execute(_ACCOUNT, [uuid4()])
    assert cluster.clear_database(url)
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM accounts").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM alembic_version").fetchone() == (1,)
        assert not cluster.clear_database(url)
        connection.execute("CREATE INDEX one_more ON accounts (created_at)")
    assert not cluster.clear_database(url)


def test_clusters_of_killed_runs_are_removed_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    long_ago = time.time() - 7200
    for name, process in {
        "dead": ended.pid,
        "unmade": None,
        "alive": os.getpid(),
        "young": ended.pid,
    }.items():
        folder = tmp_path / f"kalends-pg-{name}"
        (folder / "data").mkdir(parents=True)
        if process is not None:
            (folder / "data" / "postmaster.pid").write_text(f"{process}\n{folder}\n")
        if name != "young":
            os.utime(folder, (long_ago, long_ago))
    (tmp_path / "another").mkdir()
    remove_left_clusters()
    assert {one.name for one in tmp_path.iterdir()} == {"kalends-pg-alive", "kalends-pg-young", "another"}
