"""The clipboard's earlier content comes back as it was: words, markup, files and pictures."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QGuiApplication, QImage

from app.desktop.finishing.clipboard import BorrowedClipboard

FOLDER = Path.home()


def content(kind: str) -> QMimeData:
    data = QMimeData()
    if kind == "text":
        data.setText("before")
    elif kind == "html":
        data.setText("before")
        data.setData("text/html", b"<b>before</b>")
    elif kind == "file":
        data.setUrls([QUrl.fromLocalFile(str(FOLDER / "before.txt"))])
    else:
        image = QImage(3, 2, QImage.Format.Format_RGB32)
        image.fill(0x336699)
        data.setImageData(image)
    return data


@pytest.mark.parametrize("kind", ["text", "html", "file", "image"])
def test_what_was_there_comes_back(kind: str) -> None:
    clipboard, borrowed = QGuiApplication.clipboard(), BorrowedClipboard()
    clipboard.setMimeData(content(kind))
    borrowed.put_text("a post")
    assert clipboard.text() == "a post"
    borrowed.put_file(FOLDER / "coat.jpg")
    assert [url.toLocalFile() for url in clipboard.mimeData().urls()] == [str(FOLDER / "coat.jpg")]
    borrowed.put_text("its alt text")
    borrowed.give_back()
    there, expected = clipboard.mimeData(), content(kind)
    assert (there.text(), there.html(), there.urls()) == (
        expected.text(),
        expected.html(),
        expected.urls(),
    )
    assert there.hasImage() == (kind == "image")
    clipboard.setText("later")
    borrowed.give_back()
    assert clipboard.text() == "later"


def test_only_words_stay_when_the_app_ends(tmp_path: Path) -> None:
    clipboard, borrowed = QGuiApplication.clipboard(), BorrowedClipboard()
    clipboard.setMimeData(content("html"))
    borrowed.leave_text()
    assert "text/html" in clipboard.mimeData().formats()  # of another program
    borrowed.put_file(tmp_path / "coat.jpg")
    borrowed.leave_text()
    assert clipboard.mimeData().formats() == ["text/plain"]
