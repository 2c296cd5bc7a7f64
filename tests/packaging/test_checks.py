"""The pieces of the test command."""

import os
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest
from setup import checks

from tests.architecture.sources import ROOT


def _files(command: tuple[str, ...]) -> list[str]:
    """Return the files of a piece, as pytest reads its folders and exclusions."""
    folders = [argument for argument in command[1:] if not argument.startswith("-")]
    ignored = [option for option in command if option.startswith("--ignore=")]
    left_out = [PurePosixPath(option.removeprefix("--ignore=")) for option in ignored]
    found = [path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("test_*.py")]
    return [path.as_posix() for path in found if not any(path.is_relative_to(inner) for inner in left_out)]


def test_every_file_of_tests_is_in_one_piece() -> None:
    taken = Counter(file for piece in checks.pieces() for file in _files(piece.command))

    every = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
    assert set(taken) == every
    assert set(taken.values()) == {1}


@pytest.mark.parametrize("piece", checks.pieces(), ids=lambda piece: piece.name)
def test_no_piece_is_empty(piece: checks.Check) -> None:
    assert _files(piece.command)


def test_a_short_run_takes_pieces_that_there_are() -> None:
    assert set(checks.SHORT) <= {piece.name for piece in checks.pieces()}


def test_a_whole_run_has_the_same_pieces_with_every_variation() -> None:
    whole = {piece.name: piece.command for piece in checks.pieces(whole=True)}
    assert whole == {piece.name: (*piece.command, "--whole") for piece in checks.pieces()}


def test_a_whole_run_checks_types_as_on_every_system_and_plays_publishing_for_an_hour() -> None:
    elsewhere, hour = {"types on win32", "types on darwin"}, "an hour of publishing"
    usual = {check.name for check in checks.static()}
    assert "types" in usual
    assert not elsewhere & usual
    assert {check.name for check in checks.static(whole=True)} == usual | elsewhere | {hour}
    assert hour not in usual
    assert {check.name for check in checks.types_elsewhere()} == elsewhere


def test_only_pieces_in_real_time_run_a_failed_test_again() -> None:
    again = {piece.name for piece in checks.pieces() if "--reruns=1" in piece.command}
    assert {"tests", "tests/desktop", "tests/desktop/calendar", "tests/real_input"} <= again
    assert not again & {"tests/service", "tests/service/media", "tests/conformance"}
    assert not any("tests/platforms" in piece for piece in again)


def test_what_is_skipped_is_counted(tmp_path: Path) -> None:
    report = _piece(
        tmp_path, "import pytest\n@pytest.mark.skip\ndef test_one(): pass\ndef test_two(): pass\n"
    )
    assert (report.failed, report.skipped) == (False, 1)


def test_a_file_left_open_until_the_end_fails_a_piece(tmp_path: Path) -> None:
    code = "import io, os\nkept = io.open(os.devnull, 'w')\ndef test_one(): pass\n"
    assert "1 passed" in (report := _piece(tmp_path, code)).output
    assert report.failed


def _piece(folder: Path, code: str) -> checks.Ended:
    test = folder / "test_of_a_piece.py"
    test.write_text(code)
    options = ("-W", "error", "-p", "no:cacheprovider", "--rootdir", str(folder), "-c", os.devnull)
    return checks.run_captured(checks.Check("piece", ("pytest", str(test), *options)), {**os.environ})


def test_pytest_alone_ends_as_pytest_does(capfd: pytest.CaptureFixture[str]) -> None:
    assert checks.run(["--version"], "offscreen") == 0
    assert checks.run(["--no-such-option"], "offscreen") == 1

    shown = capfd.readouterr().out
    assert "Nothing failed." in shown
    assert shown.endswith("Failed: tests\n")
