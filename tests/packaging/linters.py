"""Linters of workflows, container files and compositions, from the ``lint`` group of the dev lock."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

LOCKED: Final = pytest.mark.skipif(sys.platform != "linux", reason="the linters are only locked for Linux")
"""For tests that use ``lint``."""


def lint(name: str, *arguments: str | Path, files: Sequence[Path]) -> None:
    """Assert that the linter accepts the files. It must be installed next to this Python."""
    tool = Path(sys.executable).with_name(name)
    assert tool.is_file(), f"{name} isn't installed; install packaging/locks/dev.txt"
    passes([tool, *arguments, *files])


def passes(command: Sequence[str | Path]) -> None:
    """Assert that a linter finds nothing."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
