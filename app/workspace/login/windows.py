"""A value below the Run key of this person, as Windows documents it."""

import subprocess
from importlib import import_module
from typing import Any, Final

from app.workspace.login.start import Start

KEY: Final = r"Software\Microsoft\Windows\CurrentVersion\Run"
_NAME: Final = "Kalends"


class WindowsLogin:
    """``registry`` is the module ``winreg``, which only Windows has."""

    def __init__(self, start: Start, registry: Any = None) -> None:
        self._start = start
        self._registry = registry or import_module("winreg")

    def is_on(self) -> bool:
        """Whether the value is there. Raises OSError."""
        registry = self._registry
        try:
            with registry.OpenKey(registry.HKEY_CURRENT_USER, KEY) as key:
                registry.QueryValueEx(key, _NAME)
        except FileNotFoundError:
            return False
        return True

    def turn_on(self) -> None:
        """Raises OSError."""
        registry = self._registry
        with registry.CreateKey(registry.HKEY_CURRENT_USER, KEY) as key:
            command = subprocess.list2cmdline(self._start.command)
            registry.SetValueEx(key, _NAME, 0, registry.REG_SZ, command)

    def turn_off(self) -> None:
        """Raises OSError."""
        registry = self._registry
        try:
            with registry.OpenKey(registry.HKEY_CURRENT_USER, KEY, 0, registry.KEY_SET_VALUE) as key:
                registry.DeleteValue(key, _NAME)
        except FileNotFoundError:
            return
