"""A small window to drag files, text and links from.

Run as ``python -m tests.real_input.drag_source LEFT THING…``. A thing is a file path, a URL (followed by a
title, like links from browsers), or text.
"""

import sys
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QColor, QDrag, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

from tests.real_input.desk import BROWN

_EDGE, _GAP = 48, 100


class Things(QWidget):
    """A brown square for each thing. Pulling one drags it."""

    def __init__(self, things: list[str]) -> None:
        super().__init__()
        self._things = things
        self._pressed = 0

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor("white"))
        for number in range(len(self._things)):
            painter.fillRect(20 + number * _GAP, 60, _EDGE, _EDGE, QColor(*BROWN))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = (int(event.position().x()) - 20) // _GAP

    def mouseMoveEvent(self, _event: QMouseEvent) -> None:
        drag = QDrag(self)
        drag.setMimeData(_carried(self._things[self._pressed]))
        drag.exec(Qt.DropAction.CopyAction)


def _carried(thing: str) -> QMimeData:
    data = QMimeData()
    address, _, words = thing.partition(" ")
    if Path(thing).is_file():
        data.setUrls([QUrl.fromLocalFile(thing)])
    elif address.startswith("https:"):
        data.setUrls([QUrl(address)])
        data.setText(address)
        data.setHtml(f'<a href="{address}">{words}</a>')
        data.setData("text/x-moz-url", f"{address}\n{words}".encode("utf-16-le"))
    else:
        data.setText(thing)
    return data


if __name__ == "__main__":
    application = QApplication(sys.argv)
    window = Things(sys.argv[2:])
    window.setGeometry(int(sys.argv[1]), 0, 560, 400)
    window.show()
    sys.exit(application.exec())
