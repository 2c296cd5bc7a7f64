"""Opening a database that's already up to date."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from app.database import DatabaseError, Migrations
from app.database.dialects import sqlite_engine
from app.service.store.folder import MIGRATIONS as SERVICE
from app.service.store.folder import DataFolder
from app.workspace.store.tables import MIGRATIONS as WORKSPACE

ROOT = Path(__file__).parents[2]
OPEN_AND_LOOK = """
import sys
from pathlib import Path
from app.service.store.folder import DataFolder
DataFolder(Path(sys.argv[1])).open_database().close()
sys.exit("alembic" in sys.modules)
"""


@pytest.mark.parametrize("migrations", [SERVICE, WORKSPACE])
def test_files_are_named_after_their_versions_in_order(migrations: Migrations) -> None:
    versions = sorted(file.name.partition("_")[0] for file in migrations.folder.glob("[0-9]*_*.py"))
    assert versions[-1] == migrations.newest
    known = ScriptDirectory.from_config(migrations.config()).walk_revisions()
    assert [script.revision for script in known][::-1] == versions


def test_what_is_up_to_date_is_opened_without_alembic(tmp_path: Path) -> None:
    with closing(DataFolder(tmp_path).open_database()):
        pass

    command = [sys.executable, "-c", OPEN_AND_LOOK, str(tmp_path)]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def test_a_database_of_a_newer_version_is_said_and_left_alone(tmp_path: Path) -> None:
    with closing(DataFolder(tmp_path).open_database()) as database:
        database.write_now(lambda rows: rows.execute(text("UPDATE alembic_version SET version_num = '9000'")))

    with pytest.raises(DatabaseError, match="newer version"):
        DataFolder(tmp_path).open_database()


def test_a_file_without_versions_gets_all_tables(tmp_path: Path) -> None:
    engine = sqlite_engine(tmp_path / "empty.db")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")

    SERVICE.upgrade(engine, "The database")

    assert inspect(engine).has_table("posts")
    engine.dispose()
