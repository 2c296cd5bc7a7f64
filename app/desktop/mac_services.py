"""The Services menu of macOS: text or files selected in another app start a post.

`Info.plist` declares the menu item. The system calls the method that it names, on the main thread.
"""

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final
from urllib.parse import urlencode

import structlog

_log = structlog.get_logger(__name__)

METHOD: Final = "startPost"
"""``NSMessage`` in Info.plist."""
TEXT: Final = "public.utf8-plain-text"
FILE: Final = "public.file-url"
"""Apple's names of what the menu item accepts."""

_kept: list[Any] = []
"""The system doesn't keep the object that provides the service."""


def things(text: str, files: Sequence[str]) -> list[str]:
    """Return what a second start of the app would hand over: file URLs, or a link with the text.

    Many apps offer a file's name as text, too, so files take precedence.
    """
    if files or not text:
        return list(files)
    return [f"kalends://new?{urlencode({'text': text})}"]


def offer(handed: Callable[[list[str]], object]) -> None:
    """Offer the service; ``handed`` gets links and file URLs. Does nothing on other systems."""
    if sys.platform == "darwin":
        try:
            _provide(handed)
        except Exception:  # noqa: BLE001  without the menu item, everything else works
            _log.exception("the Services menu is not available")


if sys.platform == "darwin":

    def _provide(handed: Callable[[list[str]], object]) -> None:
        from rubicon.objc import NSObject, ObjCClass, ObjCInstance, objc_method

        class KalendsServices(NSObject):  # type: ignore[misc]  # rubicon has no types
            @objc_method  # type: ignore[untyped-decorator]
            def startPost_userData_error_(  # noqa: N802  Apple's naming
                self, board: ObjCInstance, _data: ObjCInstance, _error: ctypes.c_void_p
            ) -> None:
                handed(things(str(board.stringForType(TEXT) or ""), _files(board)))

        _kept.append(KalendsServices.alloc().init())
        ObjCClass("NSApplication").sharedApplication.servicesProvider = _kept[-1]

    def _files(board: Any) -> list[str]:
        from rubicon.objc import ObjCClass

        found = [item.stringForType(FILE) for item in board.pasteboardItems or ()]
        # The Finder names files by a number, which only the system can turn into a path.
        urls = [ObjCClass("NSURL").URLWithString(str(each)).filePathURL for each in found if each]
        return [str(url.absoluteString) for url in urls if url]
