"""`kalends --quit`: ends the app that runs, for installers that are about to replace it."""

import os
from pathlib import Path
from typing import Final

from filelock import Timeout

from app.desktop.ahead import lock_of
from app.desktop.single_instance import ask_to_quit

_ENDING_S: Final = 30.0
"""An app stops its service, which finishes the posts that it has begun to publish."""


def quit_running(data: Path, wait_s: float = _ENDING_S) -> bool:
    """Ask the app that has the data folder to quit, and wait until it has let go of the folder. Blocking.

    True when no app has the folder now.
    """
    if not data.is_dir() or not os.access(data, os.W_OK):
        return True  # no app can have it
    lock = lock_of(data)
    try:
        with lock.acquire(timeout=0):
            return True
    except Timeout:
        pass
    if not ask_to_quit(data):
        return False
    try:
        with lock.acquire(timeout=wait_s):
            return True
    except Timeout:
        return False
