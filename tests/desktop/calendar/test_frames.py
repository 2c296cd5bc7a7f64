"""What is repainted often is painted once a frame, and nothing of it is forgotten."""

from PySide6.QtCore import QRect
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.calendar.paint import FramePacer


class Painted(QWidget):
    """Remembers what of it was painted."""

    def __init__(self) -> None:
        super().__init__()
        self.areas: list[QRect] = []

    def paintEvent(self, event: QPaintEvent) -> None:
        self.areas.append(event.rect())


def test_many_repaints_of_a_moment_are_one_after_the_first(qtbot: QtBot) -> None:
    widget = Painted()
    qtbot.addWidget(widget)
    widget.resize(400, 100)
    widget.show()
    qtbot.waitExposed(widget)
    QApplication.processEvents()
    widget.areas.clear()
    pacer = FramePacer(widget)
    for left in range(0, 400, 10):
        pacer.update(widget, QRect(left, 0, 10, 10))
    qtbot.waitUntil(lambda: any(area.right() == 399 for area in widget.areas))
    assert len(widget.areas) <= 2, "not each by itself"
    covered = QRect()
    for area in widget.areas:
        covered |= area
    assert covered == QRect(0, 0, 400, 10)
