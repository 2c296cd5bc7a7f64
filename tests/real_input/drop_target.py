"""A small brown window to drop files on, like a page in a browser.

Run as ``python -m tests.real_input.drop_target LEFT``. Each drop is a line of JSON with the files' paths.
"""

import json
import sys

from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

from tests.real_input.desk import BROWN


class Target(QWidget):
    """Takes every file."""

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptDrops(True)

    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), QColor(*BROWN))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        print(json.dumps([url.toLocalFile() for url in event.mimeData().urls()]), flush=True)


if __name__ == "__main__":
    application = QApplication(sys.argv)
    window = Target()
    window.setGeometry(int(sys.argv[1]), 0, 400, 400)
    window.show()
    sys.exit(application.exec())
