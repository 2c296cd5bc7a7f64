"""Drag-and-drop data: within the app, and from other programs, whose data isn't trusted."""

import json
import os
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote, unquote_to_bytes

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDrag, QPixmap, QTextDocument, QTextDocumentFragment
from PySide6.QtWidgets import QWidget

DRAFTS: Final = "application/x-kalends-draft"
"""A JSON list of draft IDs."""
MEDIA: Final = "application/x-kalends-media"
"""A JSON list of the files' keys in the catalogue (storage paths)."""

_LINK: Final = "text/x-moz-url"
"""A browser's link: address and title, on a line each, in UTF-16. Qt hides it on X11."""
TEXT_MAX: Final = 100_000
"""Maximum length of a text, in characters; longer ones aren't posts. The other limits are generous, too."""
_ITEMS_MAX: Final = 200
_PACKED_MAX: Final = 200_000
_WORDS_MAX: Final = 500
_LINE_ENDS: Final = str.maketrans({**dict.fromkeys("\r\v\f\x85\u2028\u2029", "\n"), "\ufffc": None})
"""Slides and word processors separate lines by the second. The last is a picture in the text of a page."""


@dataclass(frozen=True, slots=True)
class Carried:
    """At most one of these: files by path, drafts by ID, media by key, or a text."""

    files: tuple[Path, ...] = ()
    drafts: tuple[str, ...] = ()
    media: tuple[str, ...] = ()
    text: str = ""

    def __bool__(self) -> bool:
        return bool(self.files or self.drafts or self.media or self.text)

    @property
    def count(self) -> int:
        """The number of posts that the data would create."""
        return len(self.files) or len(self.drafts) or len(self.media) or bool(self.text)


class _Alone(QTextDocument):
    """Stops a page from loading files that it references: by default, Qt reads style sheets from the disk."""

    def loadResource(self, _kind: int, _name: QUrl | str) -> object:  # noqa: N802  Qt's
        return None


def carry(source: QWidget, data: QMimeData, picture: QPixmap, held_at: QPoint) -> None:
    """Drag data out of a widget; return after the drop. Only call this in a mouse event.

    Qt runs a nested event loop meanwhile. In a mouse event no task is running, so that none is blocked.
    """
    drag = QDrag(source)
    drag.setMimeData(data)
    drag.setPixmap(picture)
    drag.setHotSpot(held_at)
    drag.exec(Qt.DropAction.CopyAction)


def pack(data: QMimeData, kind: str, keys: Iterable[str]) -> None:
    """Write keys into MIME data, as ``DRAFTS`` or ``MEDIA``."""
    data.setData(kind, json.dumps(list(keys)).encode())


def read(data: QMimeData) -> Carried:
    """Return the dragged data. Our own formats take precedence over files, and files over text."""
    if drafts := _unpacked(data, DRAFTS):
        return Carried(drafts=drafts)
    if media := _unpacked(data, MEDIA):
        return Carried(media=media)
    if any(url.isLocalFile() for url in data.urls()):
        return Carried(files=_files(data.urls()))
    text = _link(data) or _text(data)
    return Carried(text=text if len(text) <= TEXT_MAX else "")


def _unpacked(data: QMimeData, kind: str) -> tuple[str, ...]:
    packed = bytes(data.data(kind).data()) if data.hasFormat(kind) else b""
    if not packed or len(packed) > _PACKED_MAX:
        return ()
    try:
        keys = json.loads(packed)
    except (ValueError, RecursionError):
        return ()
    if not isinstance(keys, list) or not 0 < len(keys) <= _ITEMS_MAX:
        return ()
    return tuple(dict.fromkeys(keys)) if all(isinstance(key, str) and key for key in keys) else ()


def _files(urls: Iterable[QUrl]) -> tuple[Path, ...]:
    """Return the unique local files; none if there are too many, because that's probably a mistake."""
    found = dict.fromkeys(Path(name) for url in urls if url.isLocalFile() and (name := _file_of(url)))
    return tuple(found) if len(found) <= _ITEMS_MAX else ()


def _file_of(url: QUrl) -> str:
    """Return the path in a URL. Qt's own replaces what isn't UTF-8, and takes this computer for a server."""
    if os.name == "nt" or url.host() not in ("", "localhost"):
        return url.toLocalFile()
    return decoded_path(url.path(QUrl.ComponentFormattingOption.FullyEncoded))


def decoded_path(encoded: str) -> str:
    """Return the path that a URL encodes, also one that isn't UTF-8 where paths are bytes."""
    return unquote(encoded) if os.name == "nt" else os.fsdecode(unquote_to_bytes(encoded))


def _link(data: QMimeData) -> str:
    """Return a link's title above its address, if a browser provides both."""
    addresses, said = _addresses(data), _plain(data.text()) if data.hasFormat("text/plain") else ""
    if len(addresses) != 1 or (said and QUrl(said) not in data.urls()):
        return ""
    packed = bytes(data.data(_LINK).data()) if data.hasFormat(_LINK) else b""
    told = _plain(packed[: 2 * TEXT_MAX].decode("utf-16-le", "replace").lstrip("\ufeff"))
    words = " ".join(told.partition("\n")[2].split()) or " ".join(_page(data).split())
    address = said or addresses[0]
    return f"{words}\n{address}" if words and words != address and len(words) <= _WORDS_MAX else address


def _text(data: QMimeData) -> str:
    """Return the plain text, else the addresses, else the text of the HTML."""
    if data.hasFormat("text/plain") and (text := _plain(data.text())):
        return text
    return " ".join(_addresses(data)) if data.hasUrls() else _page(data)


def _addresses(data: QMimeData) -> list[str]:
    return [bytes(url.toEncoded().data()).decode() for url in data.urls() if _is_address(url)]


def _page(data: QMimeData) -> str:
    """Return the text of the HTML, without fetching anything for it."""
    page = data.html() if data.hasHtml() else ""
    if len(page) > TEXT_MAX:
        return ""
    return _plain(QTextDocumentFragment.fromHtml(page, _Alone()).toPlainText())


def _is_address(url: QUrl) -> bool:
    return url.scheme() in ("http", "https") and bool(url.host())


def writable(text: str) -> str:
    """Return a text with our line ends, without control characters and surrogates, which services reject."""
    lines = text.replace("\r\n", "\n").translate(_LINE_ENDS)
    return "".join(each for each in lines if each in "\n\t" or unicodedata.category(each) not in ("Cc", "Cs"))


def _plain(text: str) -> str:
    return writable(text).strip()
