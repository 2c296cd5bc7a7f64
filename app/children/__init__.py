"""Child processes of our own: what they run is ours, wherever the parent was started."""

import os
import sys
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).resolve().parents[2]
"""The folder that holds the package ``app``: the working folder of every child."""

_PASSED_ON: Final = frozenset(
    {
        # Where programs, libraries, a home and temporary files are.
        *("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "WINDIR", "HOME", "USERPROFILE"),
        *("APPDATA", "LOCALAPPDATA", "TMPDIR", "TEMP", "TMP", "LANG", "LC_ALL", "LC_CTYPE"),
        *("VIRTUAL_ENV", "PYTHONHOME", "PYTHONUTF8", "__PYVENV_LAUNCHER__"),
    }
)


def child_command(module: str, *arguments: str) -> tuple[str, ...]:
    """The command line that runs a module of ours; goes with SOURCE and one of the environments below.

    ``-P``: Python doesn't look for modules in the working folder.
    """
    return sys.executable, "-P", "-m", module, *arguments


def child_environment() -> dict[str, str]:
    """Our own environment, in which the child finds us before anything else."""
    return {**os.environ, "PYTHONPATH": _search_path()}


def helper_environment() -> dict[str, str]:
    """For a child that reads files of strangers: without passwords and settings that may be in ours."""
    passed = {name: value for name, value in os.environ.items() if name.upper() in _PASSED_ON}
    return {**passed, "PYTHONPATH": _search_path()}


def _search_path() -> str:
    """What our PYTHONPATH names by full paths stays; anything else depends on the working folder."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return os.pathsep.join([str(SOURCE), *(folder for folder in given if os.path.isabs(folder))])  # noqa: PTH117
