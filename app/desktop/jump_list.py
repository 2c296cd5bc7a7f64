"""The jump list of Windows: "New post" and "Today" in the menu of the taskbar button.

Windows shows it only if this process and the shortcut in the Start menu have the same application ID. Only
the installer creates that shortcut, so a portable copy and a checkout have no jump list.
"""

import ctypes
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.children import is_frozen
from app.desktop.options import is_portable
from app.language import tr

APP_ID: Final = "Kalends"
"""Our AppUserModelID. The installer's shortcut and the notifications use the same one."""


@dataclass(frozen=True, slots=True)
class Task:
    """An entry of the jump list, which starts the app with a link."""

    title: str
    link: str


def tasks() -> tuple[Task, ...]:
    """Return the actions of a Linux desktop entry and of the dock menu."""
    return Task(tr("New post"), "kalends://new"), Task(tr("Today"), "kalends://today")


def is_wanted() -> bool:
    """Whether this is the installed app."""
    return is_frozen() and not is_portable()


def identify() -> None:
    """Give this process our application ID. Call it before the first window is created."""
    if is_wanted():
        # Its calling convention is C's on 64-bit Windows. If it fails, only the jump list isn't shown.
        ctypes.CDLL("shell32").SetCurrentProcessExplicitAppUserModelID(ctypes.c_wchar_p(APP_ID))


def offer(write: Callable[[str, Path, Sequence[Task]], None]) -> None:
    """Replace the jump list by ``write``, and log its errors. Blocking."""
    if not is_wanted():
        return
    try:
        write(APP_ID, Path(sys.executable), tasks())
    except Exception:  # noqa: BLE001  without the jump list, everything else works
        import structlog  # `identify` is needed before the first window, which imports no logging

        structlog.get_logger(__name__).exception("the jump list is not available")


if sys.platform == "win32":

    def write(app_id: str, program: Path, tasks: Sequence[Task]) -> None:
        """Replace the jump list of an application ID. Blocking. Raises pywintypes.com_error."""
        import pythoncom
        from win32com.shell import shell

        # Lasts until the thread ends: after CoUninitialize, an error's traceback could still hold objects.
        pythoncom.CoInitialize()
        links = _create(shell.CLSID_EnumerableObjectCollection, shell.IID_IObjectCollection)
        for task in tasks:
            links.AddObject(_link(program, task))
        jump_list = _create(shell.CLSID_DestinationList, shell.IID_ICustomDestinationList)
        jump_list.SetAppID(app_id)
        jump_list.BeginList()
        jump_list.AddUserTasks(links)
        jump_list.CommitList()

    def _link(program: Path, task: Task) -> Any:
        import pythoncom
        from win32com.propsys import propsys, pscon
        from win32com.shell import shell

        link = _create(shell.CLSID_ShellLink, shell.IID_IShellLink)
        link.SetPath(str(program))
        link.SetArguments(f"-- {task.link}")
        link.SetIconLocation(str(program), 0)
        properties = link.QueryInterface(propsys.IID_IPropertyStore)
        properties.SetValue(pscon.PKEY_Title, propsys.PROPVARIANTType(task.title, pythoncom.VT_LPWSTR))
        properties.Commit()
        return link

    def _create(class_id: Any, interface_id: Any) -> Any:
        import pythoncom

        return pythoncom.CoCreateInstance(class_id, None, pythoncom.CLSCTX_INPROC_SERVER, interface_id)
