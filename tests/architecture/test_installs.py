"""What an install of one kind starts without: no server library in the embedded service, and no Qt in any."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EMBEDDED = """
import sys, tempfile
from contextlib import closing
from pathlib import Path
import app.service.cli, app.service.serve
from app.service.installation import EmbeddedInstallation
with tempfile.TemporaryDirectory() as folder:
    with closing(EmbeddedInstallation(Path(folder)).open_database()):
        pass
"""
SERVER = """
import sys
import app.service.cli, app.service.serve, app.service.work
from app.database.postgresql import postgresql_engine, postgresql_url
postgresql_engine(postgresql_url("postgresql://kalends@127.0.0.1/kalends"))
"""
TELL = 'print(*sorted({name.partition(".")[0] for name in sys.modules}))'


@pytest.mark.parametrize(
    ("program", "absent", "present"),
    [
        (EMBEDDED, {"PySide6", "qasync", "psycopg", "boto3", "obstore"}, {"sqlite3"}),
        (SERVER, {"PySide6", "qasync", "boto3", "obstore"}, {"psycopg"}),
    ],
)
def test_an_install_imports_nothing_of_another_kind(
    program: str, absent: set[str], present: set[str]
) -> None:
    command = [sys.executable, "-c", program + TELL]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert imported & absent == set()
    assert imported >= present
