"""The only module that opens other programs: the browser for web pages, the system's apps for files."""

import asyncio
import os
import tempfile
from html import escape
from pathlib import Path

from PySide6.QtCore import QStandardPaths, QTimer, QUrl
from PySide6.QtGui import QDesktopServices

from app.language import current, tr
from app.workspace.media.local_file import is_video
from app.workspace.web_pages import web_page

_LEADS_FOR_MS = 120_000
_PREFIX = "kalends-page-"
_SNAPS = Path("/var/lib/snapd")
_PAGE = """<!doctype html><html lang="{language}"><meta charset="utf-8"><title>Kalends</title>
<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url={url}">
<p><a href="{url}" rel="noreferrer">{text}</a></p></html>
"""

_leading: set["tempfile.TemporaryDirectory[str]"] = set()
"""Folders of redirecting pages; each is removed after a while, and all when the app ends."""


def open_page(address: str, *, service: str = "", is_secret: bool = False) -> bool:
    """Open a web page in the user's browser; return False if it isn't one, or if no browser opens.

    Args:
        address: https, or http on this computer; see `web_page`.
        service: a base URL; only its own pages are opened.
        is_secret: whether anyone with the address can use it, such as a sign-in link. Other users of this
            computer can see the arguments of every program, so the browser gets a private file that
            redirects to it.
    """
    page = QUrl(web_page(address, service=service), QUrl.ParsingMode.StrictMode)
    if page.scheme() not in ("https", "http") or not page.isValid():
        return False
    if not is_secret:
        return QDesktopServices.openUrl(page)
    try:
        file = _write_lead(page)
    except OSError:
        return False
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(file)))


def open_folder(folder: Path) -> bool:
    """Show a folder in the system's file manager; return False if that fails."""
    return folder.is_dir() and QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


async def open_video(file: Path) -> bool:
    """Show a video in the system's player; return False if it isn't one, or if no player opens.

    The system decides by the file's name: on Windows, a video named `.hta` would be run as a program.
    """
    if not await asyncio.to_thread(is_video, file):
        return False
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(file)))


def _write_lead(page: QUrl) -> Path:
    """Write a page that redirects to another one, readable by this user only, and remove it after a while."""
    folder = tempfile.TemporaryDirectory(
        prefix=_PREFIX, dir=_shared_with_browsers(), ignore_cleanup_errors=True
    )
    file = Path(folder.name) / "kalends.html"
    url = escape(page.toString(QUrl.ComponentFormattingOption.FullyEncoded))
    text = _PAGE.format(language=escape(current()), url=url, text=escape(tr("Continue")))
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as written:
        written.write(text)
    _leading.add(folder)
    QTimer.singleShot(_LEADS_FOR_MS, lambda: _remove_lead(folder))
    return file


def _remove_lead(folder: "tempfile.TemporaryDirectory[str]") -> None:
    _leading.discard(folder)
    folder.cleanup()


def _shared_with_browsers() -> str | None:
    """Return the folder for such pages: Downloads if browsers may be snaps, which can only read that."""
    downloads = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DownloadLocation)
    return downloads if _SNAPS.is_dir() and Path(downloads).is_dir() else None
