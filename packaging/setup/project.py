"""Where things are in the project's folder, and the one error that set-up speaks with."""

import hashlib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ROOT / "packaging" / "locks"
# KALENDS_VENV names another folder, for an environment of another Python beside the first.
VENV = ROOT / os.environ.get("KALENDS_VENV", ".venv")
PYTHON = VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
STAMP = VENV / "kalends-locks.txt"

# A program takes twice as long to start when its modules are compiled anew, and the tests start hundreds.
COMPILED_ONCE = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(VENV / "compiled")}


class SetupError(Exception):
    """Set-up cannot go on; the message is one line that says what is missing and what to do."""


def lock_digest(name: str) -> str:
    """SHA-256 of the lock `name` (`desktop`, `server`, `dev`).

    Raises:
        SetupError: the lock is not there.
    """
    path = LOCKS / f"{name}.txt"
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        raise SetupError(
            f"{path.relative_to(ROOT)} is missing. Restore it with git, or make it: dev.py lock"
        ) from None
