"""The whole test command: lint, format, types, tests.

It is cut into pieces, and a few workers take one after the other from a queue: many tests wait for programs,
and meanwhile others can go on. What a piece says is shown whole when it has ended.
"""

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Final

from setup.project import COMPILED_ONCE, PYTHON, ROOT

PIECES: Final = (
    "tests/journeys",
    "tests/real_input",
    "tests/benchmarks",
    "tests/gallery",
    "tests/service",
    "tests/desktop",
    "tests",
    "tests/workspace",
    "tests/service/publishing",
    "tests/platforms",
    "tests/fuzzing",
    "tests/hostile",
    "tests/service/media",
    "tests/service/publishing/endtoend",
    "tests/service/webhooks",
    "tests/desktop/composer",
    "tests/service/connections",
    "tests/desktop/shell",
    "tests/real_browser",
    "tests/desktop/calendar",
    "tests/workspace/media",
    "tests/workspace/repair",
    "tests/desktop/media",
    "tests/desktop/palette",
    "tests/conformance",
    "tests/practice",
    "tests/workspace/exchange",
    "tests/database",
    "tests/workspace/warnings",
    "tests/client",
    "tests/packaging",
)
"""Folders, the longest first, so that no long one begins when the others have ended.

Each is a piece without those inside it that are named too: whatever is new belongs to one of them.
"""

SHORT: Final = ("tests/desktop/shell", "tests/client", "tests/database")
"""Pieces for a second Python: what most often differs between versions."""

IN_REAL_TIME: Final = (
    "tests/client",
    "tests/database",
    "tests/desktop",
    "tests/fuzzing",
    "tests/gallery",
    "tests/hostile",
    "tests/journeys",
    "tests/packaging",
    "tests/practice",
    "tests/real_browser",
    "tests/real_input",
    "tests/workspace",
)
"""Folders that open windows or wait for what happens by itself, on a machine that does much else meanwhile.

The piece `tests` is one of them; the pieces inside a folder are, too.

A test of these that fails is run once more. If it passes then, the check does too, and says at its end which
tests are unsteady: each is a defect, of the test or of the app. Everywhere else a failure is final.
"""

_WORKERS: Final = (os.cpu_count() or 1) * 2
"""Twice as many as there are cores: tests wait for programs and for time more than half of theirs."""


PRODUCT: Final = ("app", "packaging", "tests/portability", "tests/packaging/wine")
"""Folders that are checked for Windows and macOS too."""


TEXTS: Final = ("app", "docs", "packaging", "tests", "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
"""Files and folders to check for typos; `pyproject.toml` lists exceptions."""


@dataclass(frozen=True)
class Check:
    """A module of Python's to be run, with its arguments."""

    name: str
    command: tuple[str, ...]


@dataclass(frozen=True)
class Ended:
    """A check that was run.

    Attributes:
        seconds: how long it took, beside others.
        output: what it printed; empty where that was shown at once.
    """

    check: Check
    failed: bool
    seconds: float
    output: str = ""

    @property
    def skipped(self) -> int:
        """How many tests were skipped, as pytest's last line counts them."""
        counts = re.findall(r"^=+ .*\b(\d+) skipped\b.* =+$", self.output, re.MULTILINE)
        return int(counts[-1]) if counts else 0


_STATIC: Final = (
    Check("lint", ("ruff", "check", ".")),
    # In preview, so it is asked for alone: that changes other rules.
    Check("encodings", ("ruff", "check", "--preview", "--select=PLW1514", ".")),
    Check("format", ("ruff", "format", "--check", ".")),
    Check("spelling", ("codespell_lib", *TEXTS)),
    Check("types", ("mypy",)),
    # What only the other systems run, in the product: tests start a screen, databases and processes of Linux.
    *(
        Check(
            f"types on {system}",
            ("mypy", f"--platform={system}", f"--cache-dir=.mypy_cache/{system}", *PRODUCT),
        )
        for system in ("win32", "darwin")
    ),
)


def run(arguments: Sequence[str], platform: str) -> int:
    """Run every check, or only pytest when it is given arguments, and say at the end which failed.

    Args:
        arguments: `--all` for every check with all variations, `--short` for some tests only; anything else
            is passed on to pytest as it is.
        platform: the value of QT_QPA_PLATFORM.

    Returns:
        The exit code: 0 when nothing failed.
    """
    environ = {**os.environ, **COMPILED_ONCE, "QT_QPA_PLATFORM": platform}
    match list(arguments):
        case [] | ["--all"]:
            ended = _run_all((*_STATIC, *pieces(whole=bool(arguments))), environ)
        case ["--short"]:
            ended = _run_all([piece for piece in pieces() if piece.name in SHORT], environ)
        case _:
            ended = [_run_shown(Check("tests", ("pytest", *arguments)), environ)]
    failed = [one.check.name for one in ended if one.failed]
    if unsteady := sorted({test for one in ended for test in _run_again(one.output)}):
        print(f"Unsteady, fix each: {', '.join(unsteady)}", flush=True)
    skipped = sum(one.skipped for one in ended)
    outcome = f"Failed: {', '.join(failed)}" if failed else "Nothing failed."
    print(f"{outcome} Skipped: {skipped}." if skipped else outcome, flush=True)
    return 1 if failed else 0


def pieces(*, whole: bool = False) -> list[Check]:
    """All tests, each of them in one piece, in the order in which the pieces begin.

    Args:
        whole: also the variations that take too long for every change.
    """
    return [
        Check(folder, ("pytest", folder, *_options(folder), *(["--whole"] if whole else [])))
        for folder in PIECES
    ]


def _options(folder: str) -> list[str]:
    return [*_without_pieces_in(folder), *(["--reruns=1", "-raR"] if _is_in_real_time(folder) else [])]


def _is_in_real_time(folder: str) -> bool:
    return folder == "tests" or f"{folder}/".startswith(tuple(f"{one}/" for one in IN_REAL_TIME))


def _without_pieces_in(folder: str) -> list[str]:
    return [f"--ignore={inner}" for inner in PIECES if inner.startswith(f"{folder}/")]


def _run_again(output: str) -> list[str]:
    """Tests that failed and were run once more, as pytest's summary names them."""
    lines = output.splitlines()
    return [line.removeprefix("RERUN ").partition(" - ")[0] for line in lines if line.startswith("RERUN ")]


def _run_all(checks: Sequence[Check], environ: Mapping[str, str]) -> list[Ended]:
    """Every check, some at a time, in the order in which they end."""
    ended = []
    with ThreadPoolExecutor(_WORKERS) as workers:
        for future in as_completed([workers.submit(run_captured, check, environ) for check in checks]):
            ended.append(one := future.result())
            command = " ".join(one.check.command)
            print(f"--- {one.check.name}: {command} ({one.seconds:.0f} s)\n{one.output}", flush=True)
    return ended


def _run_shown(check: Check, environ: Mapping[str, str]) -> Ended:
    started = time.monotonic()
    code = subprocess.call(_command(check), cwd=ROOT, env=environ)
    return Ended(check, bool(code), time.monotonic() - started)


def run_captured(check: Check, environ: Mapping[str, str]) -> Ended:
    """Run one check and keep what it prints."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as kept:  # a pipe would stay open as long as any program has it
        done = subprocess.run(_command(check), cwd=ROOT, env=environ, stdout=kept, stderr=kept, check=False)
        kept.seek(0)
        output = kept.read().decode("utf-8", "replace")
    # Python reports a file that nobody closed after pytest's verdict, so the exit code doesn't show it.
    failed = bool(done.returncode) or "\nResourceWarning: " in output
    return Ended(check, failed, time.monotonic() - started, output)


def _command(check: Check) -> list[str]:
    return [str(PYTHON), "-m", *check.command]
