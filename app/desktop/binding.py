"""PySide6, loaded so that it doesn't slow down later imports."""

import builtins
import sys


def load() -> None:
    """Import PySide6. Exits with a sentence where its version and Python's don't go together.

    WORKAROUND for shiboken's hook on `__import__`: it reads the source of each module that is imported
    later and keeps its lines, to find out whether `from __feature__ import ...` concerns it. We use no
    such feature, and the lines of all our modules took 28 MB. Can go once the hook can be switched off.
    """
    python_import = builtins.__import__
    import PySide6

    builtins.__import__ = python_import
    if sys.version_info < (3, 12) and tuple(PySide6.__version_info__[:2]) >= (6, 12):
        sys.exit(  # it loses references to None until it aborts
            "PySide6 6.12 does not work with Python 3.11. Install PySide6 6.11, or use Python 3.12 or newer."
        )
