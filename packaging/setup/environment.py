"""The project's `.venv`, installed from a hashed lock whenever the lock changes."""

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from setup import libraries, system
from setup.project import LOCKS, PYTHON, ROOT, STAMP, VENV, SetupError, lock_digest

# The locks on the right contain every package of the lock on the left, at the same version.
_SATISFIED_BY = {"desktop": ("desktop", "dev"), "dev": ("dev",)}


def find_uv() -> str | None:
    """Return the path of a working uv. A version manager's shim may exist without working."""
    path = shutil.which("uv")
    if path and subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0:
        return path
    return None


def can_make_venv() -> bool:
    """Whether this Python has venv and ensurepip, which are separate packages in Debian."""
    return all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))


def venv_version() -> str | None:
    """Return the Python version of `.venv`, such as `3.11.2`; None if it's missing or doesn't start."""
    if not PYTHON.exists():
        return None
    question = "import sys; print('%d.%d.%d' % sys.version_info[:3])"
    answer = subprocess.run(
        [PYTHON, "-c", question], capture_output=True, text=True, encoding="utf-8", check=False
    )
    return answer.stdout.strip() if answer.returncode == 0 else None


def is_ready(lock: str) -> bool:
    """Whether `.venv` belongs to the running Python and matches the lock."""
    if venv_version() != _running_version() or not STAMP.exists():
        return False
    held = STAMP.read_text("ascii").split()
    return any(lock_digest(name) in held for name in _SATISFIED_BY[lock])


def prepare(lock: str, screens: Iterable[str], *, system_allowed: bool) -> None:
    """Install `lock` ("desktop" or "dev") into `.venv`, and the system libraries Qt needs.

    Args:
        lock: "desktop" or "dev".
        screens: Kinds of screen that Qt must support; names from `libraries.SCREENS`.
        system_allowed: Whether system packages may be installed.

    Raises:
        SetupError: With a line that says what to do.
    """
    screens = tuple(screens)
    if not is_ready(lock):
        uv = find_uv()
        lacks_venv = uv is None and not can_make_venv()
        system.provide(libraries.expected_missing(screens), venv=lacks_venv, allowed=system_allowed)
        _fill(lock, uv)
    system.provide(libraries.missing(screens), allowed=system_allowed)
    if still := libraries.missing(screens):
        raise SetupError(f"Qt still can't find {', '.join(still)}. Install the packages that contain them.")


def _fill(lock: str, uv: str | None) -> None:
    if VENV.is_symlink():
        raise SetupError(
            f"{VENV.name} is a link to {VENV.resolve()}, which doesn't match this checkout. "
            "Remove the link, or set KALENDS_VENV to another folder."
        )
    path = LOCKS / f"{lock}.txt"
    digest = lock_digest(lock)
    print(f"Installing {path.relative_to(ROOT)} into .venv with {'uv' if uv else 'pip'}", flush=True)
    STAMP.unlink(missing_ok=True)
    for command in _uv_commands(uv, path) if uv else _pip_commands(path):
        if subprocess.call(command, cwd=ROOT):
            raise SetupError(f"Failed: {' '.join(map(str, command))}")
    STAMP.write_text(f"{digest}\n", "ascii")


def _uv_commands(uv: str, lock: Path) -> list[list[str | Path]]:
    keep = "--allow-existing" if venv_version() == _running_version() else "--clear"
    return [
        [uv, "venv", "--quiet", keep, "--python", sys.executable, VENV],
        [uv, "pip", "install", "--quiet", "--python", PYTHON, "--require-hashes", "-r", lock],
    ]


def _pip_commands(lock: Path) -> list[list[str | Path]]:
    keep = [] if venv_version() == _running_version() else ["--clear"]
    pip: list[str | Path] = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pip.append("--no-compile")  # COMPILED_ONCE reads bytecode from another folder
    return [[sys.executable, "-m", "venv", *keep, VENV], [*pip, "--require-hashes", "-r", lock]]


def _running_version() -> str:
    return ".".join(map(str, sys.version_info[:3]))
