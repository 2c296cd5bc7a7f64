"""A small window with a folder's files to be dragged, for machines without a file manager.

Run as ``python -m tests.real_input.drag_source FOLDER LEFT``.
"""

import sys
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QColor, QDrag, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

from tests.real_input.desk import BROWN

_EDGE, _GAP = 64, 100


class Files(QWidget):
    """A brown square for each file; pulling at one drags it, pulling between them drags all."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._files = sorted(folder.iterdir())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor("white"))
        for number in range(len(self._files)):
            painter.fillRect(20 + number * _GAP, 60, _EDGE, _EDGE, QColor(*BROWN))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        number = (int(event.position().x()) - 20) // _GAP
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(self._files[number]))])
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.CopyAction)


if __name__ == "__main__":
    application = QApplication(sys.argv)
    window = Files(Path(sys.argv[1]))
    window.setGeometry(int(sys.argv[2]), 0, 560, 400)
    window.show()
    sys.exit(application.exec())
