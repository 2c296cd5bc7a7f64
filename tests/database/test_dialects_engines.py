"""Opening files durably, also while another process creates them."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from sqlalchemy import text

from app.database.dialects import sqlite_engine

_PROGRAMS = 4
_FILES = 40


def test_several_programs_may_begin_with_one_file_at_once(tmp_path: Path) -> None:
    def begin(file: Path, together: Barrier) -> str:
        engine = sqlite_engine(file)
        together.wait()
        with engine.connect() as connection:
            mode = str(connection.scalar(text("PRAGMA journal_mode")))
        engine.dispose()
        return mode

    with ThreadPoolExecutor(_PROGRAMS) as programs:
        for number in range(_FILES):
            file, together = tmp_path / f"{number}.db", Barrier(_PROGRAMS)
            begun = [programs.submit(begin, file, together) for _ in range(_PROGRAMS)]
            assert [one.result() for one in begun] == ["wal"] * _PROGRAMS


def test_what_is_committed_is_asked_to_be_on_the_disk(tmp_path: Path) -> None:
    """2 means FULL. The last one is for macOS, which otherwise leaves data in the drive's cache."""
    engine = sqlite_engine(tmp_path / "kept.db")
    with engine.connect() as connection:
        found = [connection.scalar(text(f"PRAGMA {name}")) for name in ("synchronous", "fullfsync")]
    engine.dispose()
    assert found == [2, 1]
