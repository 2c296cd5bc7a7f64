"""The entry of the frozen app: one executable that is the window and all of its programs.

A bundle holds no Python interpreter, so ``kalends -m MODULE`` stands for ``python -m MODULE`` with the
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
"""Links to the executable that are programs by themselves."""
_LIBRARY_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


def main() -> int:
    """Runs the program that the arguments name, else the window; returns the exit code."""
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
    leave_out("click", "pygments", "rich")  # httpx and structlog look for them
    from app.desktop.main import main as open_window

    code = open_window()
    successor.take_over()
    return code


def _give_back_the_environment() -> None:
    """Undo what the bootloader set for this process: a browser that we start must not load our libraries."""
    for name in _LIBRARY_PATHS:
        before = os.environ.pop(f"{name}_ORIG", None)
        if before is not None:
            os.environ[name] = before
        else:
            os.environ.pop(name, None)
    # Plugins of another Qt, as desktops of KDE name them, would be loaded into ours.
    os.environ.pop("QT_PLUGIN_PATH", None)


if __name__ == "__main__":
    sys.exit(main())
