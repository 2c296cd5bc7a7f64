"""Our programs as children: ready, stopped, and their own words when they fail."""

import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.workspace.homes.programs import Program, ProgramEndedError, ProgramLog, ask
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


def test_a_program_that_is_stopped_before_it_was_ready_has_ended(tmp_path: Path) -> None:
    program = Program("practice", "serve", "--data", str(tmp_path / "practice"), log=tmp_path / "log")
    program.stop()
    with pytest.raises(ProgramEndedError):
        program.ready()


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


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")
def test_a_full_disk_costs_the_log_and_never_the_program(tmp_path: Path) -> None:
    """A program stops for good when nobody reads what it writes and the pipe is full."""
    log = tmp_path / "log"
    log.symlink_to("/dev/full")
    more_than_a_pipe_holds = ["x" * 50_000] * 4  # a mistake that it repeats, after the line on its usage
    data = str(tmp_path / "practice")
    program = Program("practice", "serve", "--data", data, *more_than_a_pipe_holds, log=log)
    with ThreadPoolExecutor(1) as waiting:
        answer = waiting.submit(program.ready)
        try:
            with pytest.raises(ProgramEndedError, match="unrecognized arguments"):
                answer.result(timeout=60)
        finally:
            program._process.kill()


def test_a_log_goes_on_where_there_is_room_again(tmp_path: Path) -> None:
    path = tmp_path / "service.log"
    path.mkdir()
    log = ProgramLog(path)
    log.add("lost\n")
    path.rmdir()
    log.add("kept\n")
    log.add("kept, too\n")
    log.close()
    assert path.read_text() == "kept\nkept, too\n"


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")
def test_a_log_goes_on_after_lines_that_found_no_room(tmp_path: Path) -> None:
    path = tmp_path / "service.log"
    path.symlink_to("/dev/full")
    log = ProgramLog(path)
    for _ in range(100):
        log.add("x" * 1_000)
    path.unlink()
    log.add("kept\n")
    log.close()
    assert path.read_text() == "kept\n"


def test_a_log_is_turned_over_and_takes_four_megabytes_at_most(tmp_path: Path) -> None:
    log = ProgramLog(tmp_path / "service.log")
    for number in range(6_000):
        log.add(f"{number} " + "x" * 1_000)
    log.close()
    parts = sorted(path.name for path in tmp_path.iterdir())
    assert parts == ["service.log", "service.log.1", "service.log.2", "service.log.3"]
    assert all(path.stat().st_size <= 1_000_000 for path in tmp_path.iterdir())
    assert (tmp_path / "service.log").read_text().splitlines()[-1].startswith("5999 ")
