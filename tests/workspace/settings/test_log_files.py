"""The logs: which there are, how they end, and a copy of all of them."""

from pathlib import Path

import pytest

from app.workspace.homes import Homes
from app.workspace.messages import Problem
from app.workspace.settings.log_files import export, last_lines, log_files
from tests.workspace.settings.folders import filled, write


def test_the_app_comes_first_then_programs_that_wrote_something(tmp_path: Path) -> None:
    homes, _here, _there = filled(tmp_path)
    assert [file.name for file in log_files(homes)] == ["Kalends", "Service of My calendar"]
    assert last_lines(log_files(homes)[0]) == []


def test_only_whole_lines_of_the_end_are_read(tmp_path: Path) -> None:
    write(tmp_path / "logs" / "kalends.log", b"".join(b"line %06d\n" % n for n in range(40_000)))
    (file,) = log_files(Homes(tmp_path))
    lines = last_lines(file)
    assert len(lines) == 400
    assert (lines[0], lines[-1]) == ("line 039600", "line 039999")


def test_a_copy_holds_the_older_parts_first_and_no_secret(tmp_path: Path) -> None:
    homes, _here, _there = filled(tmp_path / "data")
    logs = homes.data / "logs"
    write(logs / "kalends.log", b"newest, Bearer abcdef0123456789\n\xff broken\n")
    write(logs / "kalends.log.1", b"older\n")
    write(logs / "kalends.log.2", b"oldest\n")
    export(log_files(homes), tmp_path / "copy.txt")
    text = (tmp_path / "copy.txt").read_text("utf-8")
    assert text.index("oldest") < text.index("older\n") < text.index("newest") < text.index("it went well")
    assert "abcdef0123456789" not in text


def test_a_copy_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    homes, _here, _there = filled(tmp_path / "data")
    with pytest.raises(Problem, match=r"Couldn't write the logs to .*: no such file or directory\. Choose"):
        export(log_files(homes), tmp_path / "missing" / "copy.txt")
    assert not (tmp_path / "missing").exists()
