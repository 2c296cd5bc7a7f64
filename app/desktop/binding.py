"""Loads PySide6 in such a way that later imports stay fast, and that threads can import it."""

import asyncio
import builtins
import sys
from functools import cache
from importlib import import_module
from typing import Final

_TYPES: Final = 1_150
"""Number of types that make shiboken's table large enough. It then holds 2,357; the app has about 700."""


def load() -> None:
    """Import PySide6. Exits with a message if its version and Python's are incompatible.

    WORKAROUND for shiboken's hook on `__import__`: it reads the source of each module imported later and
    keeps its lines, to check for `from __feature__ import ...`. We don't use that, and the lines of all our
    modules took 28 MB. Can go once the hook can be switched off.
    """
    python_import = builtins.__import__
    import PySide6

    builtins.__import__ = python_import
    if sys.version_info < (3, 12) and tuple(PySide6.__version_info__[:2]) >= (6, 12):
        sys.exit(  # this combination loses references to None until it aborts
            "PySide6 6.12 does not work with Python 3.11. Install PySide6 6.11, or use Python 3.12 or newer."
        )


async def import_in_thread(*modules: str) -> None:
    """Import modules that use Qt in a thread, so that the window doesn't freeze."""
    make_room_for_types()
    for module in modules:
        await asyncio.to_thread(import_module, module)


@cache
def make_room_for_types() -> None:
    """Prepare for imports in threads. The first call takes about 12 ms.

    WORKAROUND for Python 3.11, where shiboken keeps its types in a hash table without a lock, and Qt reads it
    without the GIL. If the table grows while a thread imports a module, Qt may not find a type on the GUI
    thread, and the program crashes in `MetaObjectBuilder::update`. The table never shrinks, so creating
    temporary types here makes it large enough. Can go once Python 3.12 is required.
    """
    if sys.version_info < (3, 12):
        from PySide6.QtCore import QObject

        rooms = [type(f"Room{number}", (QObject,), {}) for number in range(_TYPES)]  # all at the same time
        rooms.clear()
