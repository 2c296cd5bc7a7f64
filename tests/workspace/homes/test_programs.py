"""Our programs as children: ready, stopped, and their own words when they fail."""

import urllib.request
from pathlib import Path

import pytest

from app.workspace.homes.programs import Program, ProgramEndedError, ask
from app.workspace.messages import Problem


def test_a_program_says_where_it_is_and_ends_when_told(tmp_path: Path) -> None:
    program = Program("practice", "serve", "--data", str(tmp_path / "practice"), log=tmp_path / "log")
    try:
        ready = program.ready()
        with urllib.request.urlopen(ready["base_url"] + "/ledger", timeout=5) as answer:  # noqa: S310
            assert answer.status == 200
    finally:
        program.stop()

    assert not program.running


def test_a_program_that_cannot_start_tells_why_in_its_own_words(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    program = Program("practice", "serve", "--data", str(blocked), log=tmp_path / "log")

    with pytest.raises(ProgramEndedError, match=r"file") as ended:
        program.ready()
    program.stop()

    assert ended.value.exit_code != 0


def test_a_failing_command_is_a_problem_in_words(tmp_path: Path) -> None:
    with pytest.raises(Problem):
        ask("service", "key", "revoke", "--data", str(tmp_path), "--key-id", "no-id")
