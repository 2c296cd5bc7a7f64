"""A replaceable program file that starts our programs from source, like the frozen app's executable."""

import sys
from pathlib import Path
from typing import Final

from app.children import SOURCE

_PYTHON: Final = sys.executable
_PROGRAM: Final = """#!/bin/sh
echo {version} >> "$0.versions"
KALENDS_LAUNCHER=$0 exec "{python}" -P -X utf8 -c '
import os, sys
sys.frozen, sys.executable = True, os.environ["KALENDS_LAUNCHER"]
sys.argv[0] = sys.executable
from app.children import replaced
replaced.LOOK_S = 0.2
from app.desktop import frozen
sys.exit(frozen.main())
' "$@"
"""


def install(path: Path, version: str) -> Path:
    """Install a version like package managers do: the new file replaces the old one."""
    new = path.with_suffix(".new")
    new.write_text(_PROGRAM.format(version=version, python=_PYTHON))
    new.chmod(0o755)
    new.replace(path)
    return path


def started_versions(path: Path) -> list[str]:
    """Return the versions started so far, one per process."""
    return path.with_name(f"{path.name}.versions").read_text().split()


ENVIRONMENT: Final = {"PYTHONPATH": str(SOURCE)}
