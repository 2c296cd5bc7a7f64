"""How far the stream was followed, over restarts."""

from pathlib import Path

import pytest

from app.database import Database
from app.database.engines import sqlite_engine
from app.workspace.store.tables import MIGRATIONS
from app.workspace.sync.position import Position, load_position, save_position
from tests.migrated import lay


@pytest.mark.parametrize(
    ("event", "known"), [("17", "17"), ("plätz", ""), ("a\nb", ""), ("x" * 9_000_000, "")]
)
def test_an_id_that_no_header_holds_is_forgotten(tmp_path: Path, event: str, known: str) -> None:
    lay(tmp_path / "workspace.db", MIGRATIONS)
    database = Database(sqlite_engine(tmp_path / "workspace.db"), "workspace.db")
    try:
        database.submit(lambda rows: save_position(rows, Position(listed=True, event=event))).result()
        kept = database.submit(load_position).result()
    finally:
        database.close()
    assert kept == Position(listed=True, event=known)
