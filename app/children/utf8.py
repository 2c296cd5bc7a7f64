"""UTF-8 mode for our programs, also when Python was started without it.

In other modes, paths and text from other programs are decoded with the system's encoding: on Windows that's a
code page, in which a "ü" in a child's message can't be read. The frozen app and children start in UTF-8 mode.
"""

import locale
import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from app.children import is_frozen


def is_missing() -> bool:
    """Whether this process uses another encoding than UTF-8, and its user didn't ask for that."""
    if is_frozen() or sys.flags.utf8_mode or any("utf8=0" in argument for argument in sys.orig_argv):
        return False
    return {locale.getencoding().lower(), sys.getfilesystemencoding().lower()} != {"utf-8"}


def start_again() -> NoReturn:
    """Run this program again in UTF-8 mode, with its arguments, and end with its exit code."""
    command = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
    if sys.platform == "win32":  # others wait for this process, and exec would end it there
        sys.exit(subprocess.call(command, cwd=Path.cwd(), env=os.environ))  # noqa: S603  our own program
    os.execv(command[0], command)  # noqa: S606  our own program
