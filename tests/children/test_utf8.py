"""Our programs run in UTF-8 mode where the system's encoding is another one."""

import json
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from app.children import SOURCE, utf8
from app.desktop import main as desktop
from app.service import cli as service

_IN_ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
_PROGRAM = """
import json, os, sys
from app.children import utf8
if utf8.is_missing():
    utf8.start_again()
print(json.dumps([sys.flags.utf8_mode, sys.argv, sys.getfilesystemencoding(), os.getpid()]))
sys.exit(3)
"""


def run(*options: str, **settings: str) -> tuple[int, list[str], str, bool]:
    """Return the program's mode, arguments and encoding, and whether its process is still the same."""
    process = subprocess.Popen(
        [sys.executable, *options, "-c", _PROGRAM, "Jürgen", "--day", "日本"],
        env={**os.environ, "PYTHONPATH": str(SOURCE), **settings},
        stdout=subprocess.PIPE,
    )
    with process:
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 3
    mode, arguments, encoding, pid = json.loads(output)
    return mode, arguments[1:], encoding, pid == process.pid


@pytest.mark.skipif(sys.platform == "win32", reason="there, another process is started")
def test_a_program_is_started_again_with_its_arguments() -> None:
    assert run(**_IN_ASCII) == (1, ["Jürgen", "--day", "日本"], "utf-8", True)


def test_a_user_can_choose_another_mode() -> None:
    mode, *_ = run("-X", "utf8=0", **_IN_ASCII)
    assert mode == 0


def test_nothing_starts_again_where_everything_is_in_utf_8() -> None:
    mode, *_ = run(LC_ALL="C.UTF-8", PYTHONUTF8="0")
    assert mode == 0, "the mode says nothing new there"


@pytest.mark.parametrize("main", [desktop.main, service.main])
def test_the_app_and_the_service_ask_for_it(main: Callable[[], int], monkeypatch: pytest.MonkeyPatch) -> None:
    class StartedAgainError(Exception): ...

    def start_again() -> None:
        raise StartedAgainError

    monkeypatch.setattr(utf8, "is_missing", lambda: True)
    monkeypatch.setattr(utf8, "start_again", start_again)
    with pytest.raises(StartedAgainError):
        main()
