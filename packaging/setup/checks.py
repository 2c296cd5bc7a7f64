"""The complete test command: lint, format, spelling, types and tests.

The tests are split into pieces, which a few workers take from a queue, because many tests wait for other
programs. The output of a piece is printed when it has ended.
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
    "tests/service",
    "tests/workspace",
    "tests/service/publishing",
    "tests/journeys",
    "tests/benchmarks",
    "tests/desktop",
    "tests/service/publishing/endtoend",
    "tests/real_input",
    "tests/platforms tests/media",
    "tests/desktop/calendar",
    "tests/gallery",
    "tests/service/connections",
    "tests/simulation",
    "tests/workspace/media tests/workspace/repair tests/workspace/exchange tests/workspace/warnings",
    "tests/service/media",
    "tests",
    "tests/desktop/media tests/desktop/palette",
    "tests/hostile",
    "tests/service/webhooks",
    "tests/conformance",
    "tests/desktop/composer",
    "tests/fuzzing",
    "tests/language tests/architecture",
    "tests/desktop/shell",
    "tests/real_browser",
    "tests/practice tests/packaging",
    "tests/client tests/database",
)
"""Pieces, which are test folders or several of them, slowest first, so that no slow piece starts last.

A piece excludes the pieces inside its folders. Every new test belongs to one of them.
"""

SHORT: Final = ("tests/client tests/database",)
"""Pieces for a second Python version: tests that most often differ between versions, and wait least.

`.ci/run` runs them before the suite, and tests the window with its self-test. The hosted workflow runs the
whole suite on the newest version.
"""

IN_REAL_TIME: Final = (
    "tests/architecture",
    "tests/client",
    "tests/database",
    "tests/desktop",
    "tests/fuzzing",
    "tests/gallery",
    "tests/hostile",
    "tests/journeys",
    "tests/language",
    "tests/packaging",
    "tests/practice",
    "tests/real_browser",
    "tests/real_input",
    "tests/workspace",
)
"""Folders with tests that open windows or wait in real time, which a busy machine can slow down.

Includes the piece `tests`, and pieces inside these folders.

A failed test in these folders runs once more. If it then passes, so does the check, and the summary lists the
test as unsteady: fix the test or the app. Other failures are final.
"""

_WORKERS: Final = (os.cpu_count() or 1) * 5 // 2
"""More than twice the number of cores, because tests wait for more than half of their time.

With twice the number, two cores were idle for 23 % of a run. With three times, tests in real time failed.
"""


PRODUCT: Final = ("app", "packaging", "tests/portability", "tests/packaging/wine")
"""Folders that are also type-checked for Windows and macOS: in the whole run and the hosted workflow."""


TEXTS: Final = ("app", "docs", "packaging", "tests", "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
"""Files and folders to check for typos; `pyproject.toml` lists exceptions."""


@dataclass(frozen=True)
class Check:
    """A Python module to run, with its arguments."""

    name: str
    command: tuple[str, ...]


@dataclass(frozen=True)
class Ended:
    """A finished check.

    Attributes:
        seconds: Duration, while other checks were running.
        output: Its output; empty if it was printed directly.
    """

    check: Check
    failed: bool
    seconds: float
    output: str = ""

    @property
    def skipped(self) -> int:
        """Number of skipped tests in pytest's last line."""
        counts = re.findall(r"^=+ .*\b(\d+) skipped\b.* =+$", self.output, re.MULTILINE)
        return int(counts[-1]) if counts else 0


_STATIC: Final = (
    Check("lint", ("ruff", "check", ".")),
    # In a separate run, because preview mode changes other rules.
    Check("encodings", ("ruff", "check", "--preview", "--select=PLW1514", ".")),
    Check("format", ("ruff", "format", "--check", ".")),
    Check("spelling", ("codespell_lib", *TEXTS)),
    Check("types", ("mypy",)),
)

_SIMULATED: Final = Check("an hour of publishing", ("tests.simulation", "publishing", "--seconds", "3600"))
"""Plays new seeds each time, and prints them. `.ci/run` does so for a minute."""


def _types_on(system: str) -> Check:
    """Check types as on another system.

    Only in the product: tests use Linux screens, databases and processes.
    """
    command = ("mypy", f"--platform={system}", f"--cache-dir=.mypy_cache/{system}", *PRODUCT)
    return Check(f"types on {system}", command)


def run(arguments: Sequence[str], platform: str) -> int:
    """Run every check, or only pytest if it gets arguments, and list the failed ones.

    Args:
        arguments: `--all` for every check with all variations, `--short` for some tests only, `--types` for
            types on other systems only; anything else is passed to pytest.
        platform: Value of QT_QPA_PLATFORM.

    Returns:
        The exit code: 0 if nothing failed.
    """
    environ = {**os.environ, **COMPILED_ONCE, "QT_QPA_PLATFORM": platform}
    match list(arguments):
        case [] | ["--all"]:
            whole = bool(arguments)
            ended = _run_all((*static(whole=whole), *pieces(whole=whole)), environ)
        case ["--short"]:
            ended = _run_all([piece for piece in pieces() if piece.name in SHORT], environ)
        case ["--types"]:
            ended = _run_all(types_elsewhere(), environ)
        case _:
            ended = [_run_shown(Check("tests", ("pytest", *arguments)), environ)]
    failed = [one.check.name for one in ended if one.failed]
    if unsteady := sorted({test for one in ended for test in _run_again(one.output)}):
        print(f"Unsteady, fix each: {', '.join(unsteady)}", flush=True)
    skipped = sum(one.skipped for one in ended)
    outcome = f"Failed: {', '.join(failed)}" if failed else "Nothing failed."
    print(f"{outcome} Skipped: {skipped}." if skipped else outcome, flush=True)
    return 1 if failed else 0


def static(*, whole: bool = False) -> list[Check]:
    """Return the checks that pytest doesn't run.

    Args:
        whole: Include types as on other systems, and an hour of simulated publishing, which starts first.
    """
    return [_SIMULATED, *_STATIC, *types_elsewhere()] if whole else [*_STATIC]


def types_elsewhere() -> list[Check]:
    """Return the checks of types as on systems other than Linux."""
    return [_types_on(system) for system in ("win32", "darwin")]


def pieces(*, whole: bool = False) -> list[Check]:
    """Return all tests, each in one piece, in the order in which the pieces start.

    Args:
        whole: Include the variations that take too long for every change.
    """
    return [
        Check(piece, ("pytest", *piece.split(), *_options(piece), *(["--whole"] if whole else [])))
        for piece in PIECES
    ]


def _options(piece: str) -> list[str]:
    again = ["--reruns=1", "-raR"] if all(map(_is_in_real_time, piece.split())) else []
    return [*_without_pieces_in(piece), *again]


def _is_in_real_time(folder: str) -> bool:
    return folder == "tests" or f"{folder}/".startswith(tuple(f"{one}/" for one in IN_REAL_TIME))


def _without_pieces_in(folder: str) -> list[str]:
    others = (folder for piece in PIECES for folder in piece.split())
    return [f"--ignore={inner}" for inner in others if inner.startswith(f"{folder}/")]


def _run_again(output: str) -> list[str]:
    """Return the tests that failed and were run again, from pytest's summary."""
    lines = output.splitlines()
    return [line.removeprefix("RERUN ").partition(" - ")[0] for line in lines if line.startswith("RERUN ")]


def _run_all(checks: Sequence[Check], environ: Mapping[str, str]) -> list[Ended]:
    """Run the checks in parallel and return the results in the order of completion."""
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
    """Run a check and capture its output."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as kept:  # a pipe would stay open until every child has closed it
        done = subprocess.run(_command(check), cwd=ROOT, env=environ, stdout=kept, stderr=kept, check=False)
        kept.seek(0)
        output = kept.read().decode("utf-8", "replace")
    # Python reports unclosed files after pytest has finished, so they don't affect the exit code.
    failed = bool(done.returncode) or "\nResourceWarning: " in output
    return Ended(check, failed, time.monotonic() - started, output)


def _command(check: Check) -> list[str]:
    return [str(PYTHON), "-m", *check.command]
