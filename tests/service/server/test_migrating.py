"""A database that is migrated while programs of the version before publish from it."""

import json
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from app.database import Database, Migrations
from app.database.postgresql import postgresql_engine, postgresql_url
from app.service.store.folder import MIGRATIONS
from app.service.store.marks import keep_oldest_usable, oldest_usable
from tests.service.programs import ROOT, SERVICE
from tests.service.server.fleet import Fleet, running, until
from tests.stores import postgres_cluster

POSTS = 30
FIRST, SECOND, THIRD = "9001", "9002", "9003"
_MIGRATION = '''
"""Add a column."""

import sqlalchemy as sa
from alembic import op

revision = "{number}"
down_revision = "{before}"
branch_labels = None
depends_on = None
breaks_older = {breaks_older}


def upgrade() -> None:
    op.add_column("posts", sa.Column("colour_{number}", sa.Text(), nullable=True))


def downgrade() -> None:
    raise NotImplementedError
'''


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with running(tmp_path_factory.mktemp("fleet")) as fleet:
        yield fleet


def versions(folder: Path, *numbers: str, breaks_older: bool = False) -> Migrations:
    """The migrations of a newer version of the program, each with one more column."""
    shutil.copytree(MIGRATIONS.folder, folder)
    for before, number in zip((MIGRATIONS.newest, *numbers), numbers, strict=False):
        text = _MIGRATION.format(before=before, number=number, breaks_older=breaks_older)
        (folder / f"{number}_add_a_colour.py").write_text(text, "utf-8")
    return Migrations(folder=folder, metadata=MIGRATIONS.metadata)


def upgrade(fleet: Fleet, migrations: Migrations) -> None:
    engine = postgresql_engine(postgresql_url(fleet.url))
    try:
        migrations.upgrade(engine, "The database", after=keep_oldest_usable)
    finally:
        engine.dispose()


def test_the_version_before_goes_on_publishing_and_can_be_restarted(fleet: Fleet, tmp_path: Path) -> None:
    texts = fleet.plan(POSTS, timedelta(seconds=8), first_in=timedelta(seconds=3))
    until(lambda: len(fleet.published(texts)) > POSTS // 8, "the first are out")

    upgrade(fleet, versions(tmp_path / "next", FIRST))
    assert len(fleet.published(texts)) < POSTS
    fleet.workers.pop().kill()
    assert fleet.start("worker").ready["event"] == "ready"

    until(lambda: fleet.statuses(texts)["posted"] == POSTS, "every post is posted")
    assert fleet.published(texts) == dict.fromkeys(texts, 1)
    assert fleet.logged_errors() == []


def test_a_busy_table_blocks_nobody_for_long(fleet: Fleet, tmp_path: Path) -> None:
    """Everybody who wants the table waits behind a migration that waits for it."""
    with psycopg.connect(fleet.url) as busy:
        busy.execute("SELECT count(*) FROM posts")  # keeps its lock until the end of the transaction
        migrations = versions(tmp_path / "next", FIRST, SECOND)
        upgrading = threading.Thread(target=upgrade, args=(fleet, migrations))
        upgrading.start()
        longest = 0.0
        for _ in range(40):
            began = time.monotonic()
            assert fleet.http.get("/posts").status_code == 200
            longest = max(longest, time.monotonic() - began)
            time.sleep(0.1)
        assert upgrading.is_alive()
        busy.rollback()
    upgrading.join(60)

    assert longest < 2.5
    with psycopg.connect(fleet.url) as rows:
        assert rows.execute("SELECT version_num FROM alembic_version").fetchone() == (SECOND,)


def test_programs_can_be_told_to_wait_for_the_command(fleet: Fleet) -> None:
    config = Path(fleet.place[1])
    config.write_text(config.read_text("utf-8") + "migrate_at_start = false\n", "utf-8")
    empty = fleet.cluster.create_database()
    place = (*fleet.place[:2], "--database-url", empty)

    refused = _run(fleet, "status", place=place)
    assert refused.returncode == 1
    assert "Run the command “migrate” first." in refused.stderr
    done = _run(fleet, "migrate", place=place)
    assert json.loads(done.stdout) == {"before": "", "after": MIGRATIONS.newest}
    assert _run(fleet, "status", place=place).returncode == 0


def test_a_program_that_cannot_use_the_next_version_says_so(fleet: Fleet, tmp_path: Path) -> None:
    upgrade(fleet, versions(tmp_path / "next", FIRST, SECOND, THIRD, breaks_older=True))

    done = _run(fleet, "worker")

    assert done.returncode == 1
    assert "newer version" in done.stderr


def test_a_later_update_lets_no_program_back_in_that_an_earlier_one_locked_out(
    tmp_path: Path,
) -> None:
    url = postgres_cluster().create_database(MIGRATIONS)
    with closing(Database(postgresql_engine(postgresql_url(url)), "The database")) as database:
        database.write_now(lambda rows: keep_oldest_usable(rows, MIGRATIONS.newest))  # the update is finished
        versions(tmp_path / "next", FIRST).upgrade(database.engine, "The database", after=keep_oldest_usable)
        assert database.read_now(oldest_usable) == MIGRATIONS.newest


def test_a_database_of_the_first_versions_is_migrated_step_by_step(tmp_path: Path) -> None:
    url = postgres_cluster().create_database()
    with closing(Database(postgresql_engine(postgresql_url(url)), "The database")) as database:
        old = shutil.copytree(MIGRATIONS.folder, tmp_path / "old")
        for file in old.glob("[0-9]*_*.py"):
            if file.name > "0002":
                file.unlink()
        Migrations(folder=old, metadata=MIGRATIONS.metadata).upgrade(database.engine, "The database")

        MIGRATIONS.upgrade(database.engine, "The database", after=keep_oldest_usable)
        assert database.read_now(oldest_usable) == MIGRATIONS.oldest_usable()


def _run(
    fleet: Fleet, command: str, *, place: tuple[str, ...] | None = None
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*SERVICE, command, *(place or fleet.place)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
