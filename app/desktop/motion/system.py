"""The motion settings of Windows and macOS, and where to read them; for Linux, see ``portal.py``."""

import ctypes
import ctypes.util
import sys
from collections.abc import Callable, Mapping
from typing import Final

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication

from app.desktop.motion import switch

_SPI_GETCLIENTAREAANIMATION: Final = 0x1042


def follow_system() -> None:
    """Read the system's motion setting, and follow its changes."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        return
    if sys.platform == "linux":
        from app.desktop.motion.portal import Portal  # Qt's D-Bus exists only on Linux

        Portal(app).begin()
    else:
        _Asked(app).begin()


class _Asked(QObject):
    """Reads the setting of Windows and macOS when the app is activated, since users change it elsewhere."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        app.applicationStateChanged.connect(self._look_again)

    def begin(self) -> None:
        switch.set_system(allows=allows())

    def _look_again(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self.begin()


def _windows_allows() -> bool:
    """Return Windows' "Animation effects"; true if unknown."""
    shown = ctypes.c_int(1)
    user = ctypes.CDLL("user32")  # its calling convention is C's on 64-bit Windows
    user.SystemParametersInfoW(_SPI_GETCLIENTAREAANIMATION, 0, ctypes.byref(shown), 0)
    return bool(shown.value)


def _mac_reduces() -> bool:
    """Return macOS' "Reduce motion"; false if unknown."""
    ctypes.CDLL(ctypes.util.find_library("AppKit"))  # defines the class
    objc = ctypes.CDLL(ctypes.util.find_library("objc"))
    pointer = ctypes.c_void_p
    for find in (objc.objc_getClass, objc.sel_registerName):
        find.restype, find.argtypes = pointer, [ctypes.c_char_p]
    send = ctypes.cast(objc.objc_msgSend, pointer).value or 0
    to_object = ctypes.CFUNCTYPE(pointer, pointer, pointer)(send)
    to_flag = ctypes.CFUNCTYPE(ctypes.c_bool, pointer, pointer)(send)
    workspace = to_object(objc.objc_getClass(b"NSWorkspace"), objc.sel_registerName(b"sharedWorkspace"))
    return bool(to_flag(workspace, objc.sel_registerName(b"accessibilityDisplayShouldReduceMotion")))


_QUESTIONS: Final[Mapping[str, Callable[[], bool]]] = {
    "win32": _windows_allows,
    "darwin": lambda: not _mac_reduces(),
}


def allows() -> bool:
    """Return whether the system allows motion; true on systems that aren't asked here."""
    question = _QUESTIONS.get(sys.platform)
    return question is None or question()
