"""The clipboard, borrowed for a post that is published by hand."""

from pathlib import Path
from typing import Final, cast

from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QGuiApplication

_HTML: Final = "text/html"


class BorrowedClipboard:
    """Puts texts and files on the clipboard, and gives back what was there before the first of them."""

    def __init__(self) -> None:
        self._before: QMimeData | None = None
        self._ours = QMimeData()

    def put_text(self, text: str) -> None:
        """Put a text on the clipboard."""
        data = QMimeData()
        data.setText(text)
        self._put(data)

    def put_file(self, file: Path) -> None:
        """Put a file on the clipboard, to be pasted into a page or a folder."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(file))])
        self._put(data)

    def give_back(self) -> None:
        """Restore the earlier content, unless the user has copied something else since."""
        before, self._before = self._before, None
        if before is not None and self._holds_ours():
            QGuiApplication.clipboard().setMimeData(before)

    def _put(self, data: QMimeData) -> None:
        if self._before is None or not self._holds_ours():
            self._before = _copy_of(_content())
        self._ours = _copy_of(data)
        QGuiApplication.clipboard().setMimeData(data)  # which owns the data from now on

    def _holds_ours(self) -> bool:
        there = _content()
        return (there.text(), there.urls()) == (self._ours.text(), self._ours.urls())


def _content() -> QMimeData:
    """Return what is on the clipboard; Qt gives None for nothing."""
    there = cast("QMimeData | None", QGuiApplication.clipboard().mimeData())
    return QMimeData() if there is None else there


def _copy_of(data: QMimeData) -> QMimeData:
    """Return what programs understand of a clipboard's content: words, files and a picture."""
    copy = QMimeData()
    if data.hasUrls():
        copy.setUrls(data.urls())
    if data.hasHtml():
        copy.setData(_HTML, data.data(_HTML))
    if data.hasText():
        copy.setText(data.text())
    if data.hasImage():
        copy.setImageData(data.imageData())
    return copy
