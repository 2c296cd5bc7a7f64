"""Where data is kept unless something else is said."""

import sys
from pathlib import Path
from typing import Final

import platformdirs

from app.children import is_frozen

PORTABLE_MARK: Final = "portable.txt"
"""Beside the executable of a folder that is carried around, such as on a stick."""


def usual_data() -> Path:
    """This person's folder for what Kalends keeps; of a portable copy, the folder beside its executable."""
    folder = Path(sys.executable).parent
    if is_frozen() and (folder / PORTABLE_MARK).is_file():
        return folder / "kalends-data"
    return platformdirs.user_data_path("kalends", appauthor=False)
