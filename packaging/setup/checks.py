"""The whole test command: lint, format, types, tests.

Many tests wait for programs, so two lanes beside each other take little more than half of the time.
"""

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import IO

from setup.project import PYTHON, ROOT

Check = tuple[str, tuple[str, ...]]

_SERVICE = "tests/service"
_FIRST_LANE: tuple[Check, ...] = (
    ("lint", ("ruff", "check", ".")),
    ("format", ("ruff", "format", "--check", ".")),
    ("types", ("mypy",)),
    ("tests", ("pytest", f"--ignore={_SERVICE}")),
)
_SECOND_LANE: tuple[Check, ...] = (("tests of the service", ("pytest", _SERVICE)),)


def run(pytest_arguments: Sequence[str], platform: str) -> int:
    """Run every check, or only pytest when it is given arguments, and say at the end which failed.

    Args:
        pytest_arguments: passed on as they are.
        platform: the value of QT_QPA_PLATFORM.

    Returns:
        The exit code: 0 when nothing failed.
    """
    environ = {**os.environ, "QT_QPA_PLATFORM": platform}
    if pytest_arguments:
        failed = _run_lane((("tests", ("pytest", *pytest_arguments)),), environ)
    else:
        failed = _run_lanes(environ)
    print(f"Failed: {', '.join(failed)}" if failed else "Nothing failed.", flush=True)
    return 1 if failed else 0


def _run_lanes(environ: Mapping[str, str]) -> list[str]:
    """Both lanes at once; what the second one prints is shown when the first has ended."""
    with tempfile.TemporaryFile("w+b") as kept, ThreadPoolExecutor(1) as beside:
        second = beside.submit(_run_lane, _SECOND_LANE, environ, kept)
        failed = _run_lane(_FIRST_LANE, environ)
        failed += second.result()
        kept.seek(0)
        print(kept.read().decode("utf-8", "replace"), flush=True)
    return failed


def _run_lane(
    checks: Sequence[Check], environ: Mapping[str, str], output: IO[bytes] | None = None
) -> list[str]:
    """The names of the checks that failed, of those that run one after the other."""
    failed = []
    for name, command in checks:
        heading = f"--- {name}: {' '.join(command)}\n"
        if output is None:
            print(heading, end="", flush=True)
        else:
            output.write(heading.encode())
            output.flush()
        done = subprocess.run(
            [PYTHON, "-m", *command], cwd=ROOT, env=environ, stdout=output, stderr=output, check=False
        )
        if done.returncode:
            failed.append(name)
    return failed
