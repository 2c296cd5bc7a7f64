"""Starting our own child processes with our own code, wherever the parent was started."""

import os
import sys
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).resolve().parents[2]
"""The folder that contains the package ``app``; working folder of every child."""

_PASSED_ON: Final = frozenset(
    {
        # Paths of programs, libraries, the home folder and temporary files.
        *("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "WINDIR", "HOME", "USERPROFILE"),
        *("APPDATA", "LOCALAPPDATA", "TMPDIR", "TEMP", "TMP", "LANG", "LC_ALL", "LC_CTYPE"),
        *("VIRTUAL_ENV", "PYTHONHOME", "PYTHONUTF8", "__PYVENV_LAUNCHER__"),
    }
)


PROGRAMS: Final = frozenset(
    {
        "app.media.worker",
        "app.practice",
        "app.service",
    }
)
"""Modules that can be run as children. The frozen app accepts only these."""


def child_command(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command line for one of PROGRAMS. Use it with SOURCE and one of the environments below.

    ``-P`` keeps Python from importing modules from the working folder. ``utf8`` lets paths and messages with
    "ü" reach the parent on Windows too.
    """
    if module not in PROGRAMS:
        raise ValueError(f"{module} is not one of our programs")
    if is_frozen():
        return sys.executable, "-m", module, *arguments
    return sys.executable, "-P", "-X", "utf8", "-m", module, *arguments


def is_frozen() -> bool:
    """Whether this is the frozen app, whose executable isn't a Python interpreter."""
    return bool(getattr(sys, "frozen", False))


def child_environment() -> dict[str, str]:
    """Return our environment, with our code first on the search path.

    Without the variables of PyInstaller's bootloader: with them, it expects the path of the libraries to be
    inherited, and the child would load the system's OpenSSL and SQLite.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("_PYI_")}
    return {**kept, "PYTHONPATH": _search_path()}


def helper_environment() -> dict[str, str]:
    """Return an environment without passwords and settings, for children that read untrusted files."""
    passed = {name: value for name, value in os.environ.items() if name.upper() in _PASSED_ON}
    return {**passed, "PYTHONPATH": _search_path()}


def _search_path() -> str:
    """Return SOURCE and the absolute entries of PYTHONPATH; others depend on the working folder."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return os.pathsep.join([str(SOURCE), *(folder for folder in given if os.path.isabs(folder))])  # noqa: PTH117
