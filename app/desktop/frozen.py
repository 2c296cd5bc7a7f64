"""The entry point of the frozen app: one executable for the window and all its programs.

A bundle contains no Python interpreter, so ``kalends -m MODULE`` replaces ``python -m MODULE`` for the
modules of ``app.children.PROGRAMS``. With any other arguments it opens the window.
"""

import os
import runpy
import sys
from pathlib import Path

from app.children import PROGRAMS
from app.children.lean import leave_out
from app.children.successor import successor

_OWN_NAMES = {"kalends-service": "app.service", "kalends-practice": "app.practice"}
"""Links to the executable that run a program instead of the window."""
_LIBRARY_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


def main() -> int:
    """Run the program that the arguments name, or else the window; return the exit code."""
    _give_back_the_environment()
    module = _OWN_NAMES.get(Path(sys.argv[0]).stem)
    if module is None and len(sys.argv) > 2 and sys.argv[1] == "-m" and sys.argv[2] in PROGRAMS:
        module = sys.argv[2]
        del sys.argv[1:3]
    if module is not None:
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        except SystemExit as end:
            if not end.code:
                successor.take_over()
            raise
        return 0
    leave_out("click", "pygments", "rich")  # httpx and structlog try to import them
    from app.desktop.main import main as open_window

    code = open_window()
    successor.take_over()
    return code


def _give_back_the_environment() -> None:
    """Undo the bootloader's changes: a browser that we start must not load our libraries."""
    for name in _LIBRARY_PATHS:
        before = os.environ.pop(f"{name}_ORIG", None)
        if before is not None:
            os.environ[name] = before
        else:
            os.environ.pop(name, None)
    # KDE desktops set this to the plugins of another Qt, which would be loaded into ours.
    os.environ.pop("QT_PLUGIN_PATH", None)


if __name__ == "__main__":
    sys.exit(main())
