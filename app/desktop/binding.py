"""PySide6, loaded so that it doesn't slow down later imports, and so that threads can import it."""

import asyncio
import builtins
import sys
from functools import cache
from importlib import import_module
from typing import Final

_TYPES: Final = 1_150
"""How many types make shiboken's table large enough. It then has room for 2,357; the app has about 700."""


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


async def import_in_thread(*modules: str) -> None:
    """Import modules that use Qt, in a thread, so that the window doesn't freeze meanwhile."""
    make_room_for_types()
    for module in modules:
        await asyncio.to_thread(import_module, module)


@cache
def make_room_for_types() -> None:
    """Prepare for imports in threads. Takes about 12 ms, the first time.

    WORKAROUND for Python 3.11, where shiboken keeps its types in a hash table without a lock, and Qt reads it
    without the interpreter's lock. If the table grows while a thread imports a module, Qt may not find a type
    on the GUI thread, and the program crashes in `MetaObjectBuilder::update`. The table never shrinks, so
    types that are made and thrown away let it grow here. Can go once Python 3.12 is required.
    """
    if sys.version_info < (3, 12):
        from PySide6.QtCore import QObject

        rooms = [type(f"Room{number}", (QObject,), {}) for number in range(_TYPES)]  # all at the same time
        rooms.clear()
