"""Where pages go that the app opens."""

import re
from html import unescape
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Slot

SCHEMES = ("https", "http", "file")
"""What a stand-in for the browser takes, so that nothing reaches the system's."""
_LINK = re.compile(r'<a href="([^"]*)"')


def page_behind(content: str) -> str:
    """Return the address to which a page leads on."""
    found = _LINK.search(content)
    assert found is not None, content
    return unescape(found[1])


def address_of(url: QUrl) -> str:
    """Return the address that a browser shows in the end: a file of ours leads on to another page."""
    if not url.isLocalFile() or not url.path().endswith(".html"):
        return url.toString(QUrl.ComponentFormattingOption.FullyEncoded)
    return page_behind(Path(url.toLocalFile()).read_text("utf-8"))


class Browser(QObject):
    """Takes the addresses that would go to the system browser."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.files: list[Path] = []

    @Slot(QUrl)
    def visit(self, url: QUrl) -> None:
        if url.isLocalFile():
            self.files.append(Path(url.toLocalFile()))
        self.opened.append(address_of(url))
