"""The whole test command: lint, format, types, tests."""

import os
import subprocess
from collections.abc import Sequence

from setup.project import PYTHON, ROOT

_ALL = {
    "lint": ("ruff", "check", "."),
    "format": ("ruff", "format", "--check", "."),
    "types": ("mypy",),
    "tests": ("pytest",),
}


def run(pytest_arguments: Sequence[str], platform: str) -> int:
    """Run every check, or only pytest when it is given arguments, and say at the end which failed.

    Args:
        pytest_arguments: passed on as they are.
        platform: the value of QT_QPA_PLATFORM.

    Returns:
        The exit code: 0 when nothing failed.
    """
    checks = {"tests": ("pytest", *pytest_arguments)} if pytest_arguments else _ALL
    environ = {**os.environ, "QT_QPA_PLATFORM": platform}
    failed = []
    for name, command in checks.items():
        print(f"--- {name}: {' '.join(command)}", flush=True)
        if subprocess.call([PYTHON, "-m", *command], cwd=ROOT, env=environ):
            failed.append(name)
    print(f"Failed: {', '.join(failed)}" if failed else "Nothing failed.", flush=True)
    return 1 if failed else 0
