"""What may be imported before the calendar shows its last state, and before the service answers."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from uuid import uuid4

from app.workspace.store.tables import MIGRATIONS
from tests.architecture.sources import ROOT, sources
from tests.migrated import lay

_APP = """
import asyncio, importlib.abc, json, linecache, os, sys
from app.desktop.main import run
from app.desktop.options import parse

painted, early = [], set()

class Watch(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if not (painted and painted[0].is_set()):
            early.update((name, name.partition(".")[0]))
        return None

sys.meta_path.insert(0, Watch())

async def work(application, stop):
    painted.append(application.calendar_painted)
    running = asyncio.create_task(application.run(stop))
    await application.calendar_painted.wait()
    pane = application.first.pane or application.controller.calendar
    print(json.dumps([sorted(early), pane.model.rowCount(), sorted(linecache.cache)]), flush=True)
    os._exit(0)

run(parse(["--data", sys.argv[1]]), work)
"""
_SERVICE = """
import os, sys
from app.service.cli import main

class Told:
    def write(self, text):
        if '"ready"' in text:
            os.write(1, " ".join(sys.modules).encode())
            os._exit(0)
    def flush(self): pass

sys.stdout = Told()
main(["serve", "--data", sys.argv[1]])
"""
_AFTER_THE_CALENDAR = {
    *("aiohttp", "alembic", "cryptography", "httpx", "keyring", "numpy", "pydantic", "pyqtgraph", "rich"),
    *("sqlalchemy", "stamina", "structlog"),
    *("PySide6.QtNetwork", "app.desktop.widgets.date_field", "app.desktop.widgets.sheet"),
}
_AFTER_THE_ANSWER = {
    *("PySide6", "aiohttp", "alembic", "av", "boto3", "certifi", "fastapi", "httpx", "jinja2", "numpy"),
    *("obstore", "opentelemetry", "prometheus_client", "psycopg", "qasync", "sqlalchemy.dialects.postgresql"),
    *(
        "app.platforms.registry",
        "app.platforms.x.text",
        "app.platforms.x.adapter",
        "app.service.outbound.http",
    ),
}
_AFTER_THE_PANES = {
    *("app.desktop.composer", "app.desktop.exchange.import_sheet", "app.desktop.inspector"),
    *("app.workspace.exchange.csv_checking", "app.workspace.exchange.csv_exchange", "charset_normalizer"),
}


def _put(data: Path) -> None:
    """A calendar of a service elsewhere with an account and a post."""
    home = str(uuid4())
    folder = data / "homes" / home
    folder.mkdir(parents=True)
    listed = {
        "id": home,
        "kind": "remote",
        "name": "Studio",
        "base_url": "https://127.0.0.1:9",
        "ca_file": None,
        "pinned_certificate": None,
        "practice": False,
        "service_port": 0,
        "practice_port": 0,
    }
    (data / "homes.json").write_text(json.dumps({"homes": [listed], "current": home}), "utf-8")
    lay(folder / "workspace.db", MIGRATIONS)
    with closing(sqlite3.connect(folder / "workspace.db")) as rows, rows:
        rows.execute(
            "INSERT INTO accounts (key, platform, name, identifier, is_available, connected_at, color_index,"
            " practice, listed) VALUES ('a', 'x', 'Maya', 'maya', 1, 0, 0, 0, 1)"
        )
        rows.execute(
            "INSERT INTO posts (key, account_key, platform, post_type, status, headline, at,"
            " media_storage_path, created_at, reason, may_be_live, immediate)"
            " VALUES ('p', 'a', 'x', 'text', 'scheduled', 'Hello', 2000000000000, '', 0, '', 0, 0)"
        )


def _run(program: str, folder: Path) -> str:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
    }
    return subprocess.run(
        [sys.executable, "-c", program, str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_the_last_state_is_painted_before_anything_slow_is_imported(tmp_path: Path) -> None:
    _put(tmp_path)

    imported, posts, _ = json.loads(_run(_APP, tmp_path))

    assert posts == 1
    assert "PySide6" in imported
    assert set(imported) & _AFTER_THE_CALENDAR == set()


def test_pyside_does_not_read_the_source_of_what_is_imported(tmp_path: Path) -> None:
    _put(tmp_path)

    _, _, sources_read = json.loads(_run(_APP, tmp_path))

    assert [name for name in sources_read if str(ROOT / "app") in name] == []


def test_the_service_answers_before_it_imports_what_few_need(tmp_path: Path) -> None:
    _run(_SERVICE, tmp_path)  # makes the database, which takes Alembic

    imported = set(_run(_SERVICE, tmp_path).split())

    assert "sqlalchemy" in imported
    assert imported & _AFTER_THE_ANSWER == set()


def test_the_rest_of_the_window_is_imported_without_what_opens_later() -> None:
    """The service is waited for meanwhile; composer, inspector and tables come with the first of them."""
    program = "import sys, app.workspace.homes.visit, app.desktop.shell.main_controller; print(*sys.modules)"

    imported = set(_run(program, ROOT).split())

    assert "app.workspace.workspace" in imported
    assert imported & _AFTER_THE_PANES == set()


def test_patterns_of_fields_name_the_characters_they_mean() -> None:
    """`[\\w-]{1,128}` takes 80 ms and 21 MB to compile: it counts every letter of every script."""
    classes = (r"\w", r"\W")
    found = [
        f"{source.name}:{number}"
        for source in sources("app")
        for number, line in enumerate(source.path.read_text("utf-8").splitlines(), 1)
        if "pattern=" in line and any(each in line for each in classes)
    ]

    assert found == []
