"""Which way of starting at login this system has."""

import sys
from pathlib import Path
from typing import Protocol

from app.workspace.login.linux import LinuxLogin
from app.workspace.login.macos import MacLogin
from app.workspace.login.start import start
from app.workspace.login.windows import WindowsLogin


class LoginItem(Protocol):
    """Looks at the disk each time, since others change it too. Everything raises OSError."""

    def is_on(self) -> bool: ...
    def turn_on(self) -> None: ...
    def turn_off(self) -> None: ...


def login_item(data: Path, usual: Path, system: str = sys.platform) -> LoginItem | None:
    """Starts Kalends in the tray with the data folder ``data``; ``usual`` is the one that needs no naming.

    None where there is no way: on other systems, and for a checkout on Windows, which names no folder.
    """
    how = start(("--hidden", *(() if data == usual else ("--data", str(data)))))
    match system:
        case "darwin":
            return MacLogin(how)
        case "win32" if how.folder is None:
            return WindowsLogin(how)
        case "linux":
            return LinuxLogin(how)
    return None
