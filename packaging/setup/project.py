"""Paths in the project, and the error class of the setup."""

import hashlib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ROOT / "packaging" / "locks"
# KALENDS_VENV selects another folder, for a second environment with another Python.
VENV = ROOT / os.environ.get("KALENDS_VENV", ".venv")
PYTHON = VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
STAMP = VENV / "kalends-locks.txt"

# Without cached bytecode, programs take twice as long to start, and the tests start hundreds.
COMPILED_ONCE = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(VENV / "compiled")}


class SetupError(Exception):
    """The setup can't continue. The message is a line that says what's missing and what to do."""


def lock_digest(name: str) -> str:
    """Return the SHA-256 of the lock `name` (`desktop`, `server`, `dev`).

    Raises:
        SetupError: The lock doesn't exist.
    """
    path = LOCKS / f"{name}.txt"
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        raise SetupError(
            f"{path.relative_to(ROOT)} is missing. Restore it with git, or recreate it with: dev.py lock"
        ) from None
