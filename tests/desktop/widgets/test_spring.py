import pytest
from PySide6.QtCore import QMimeData, QPoint
from PySide6.QtGui import QDragLeaveEvent
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.desktop.widgets import SpringPress
from tests.desktop.dragged import entering, moving

HELD = QMimeData()


@pytest.fixture
def button(qtbot: QtBot) -> QPushButton:
    made = QPushButton("Calendar")
    qtbot.addWidget(made)
    made.show()
    return made


def test_a_drag_that_rests_presses_and_cannot_be_dropped(button: QPushButton, qtbot: QtBot) -> None:
    SpringPress(button)
    pressed: list[bool] = []
    button.clicked.connect(lambda: pressed.append(True))
    with qtbot.waitSignal(button.clicked, timeout=30_000):
        QApplication.sendEvent(button, entering(QPoint(2, 2), HELD))
        assert button.underMouse()
        move = moving(QPoint(3, 3), HELD)
        QApplication.sendEvent(button, move)
        assert not move.isAccepted()
    assert len(pressed) == 1
    QApplication.sendEvent(button, QDragLeaveEvent())
    assert not button.underMouse()


def test_a_drag_that_passes_presses_nothing(button: QPushButton, qtbot: QtBot) -> None:
    spring = SpringPress(button)
    with qtbot.assertNotEmitted(button.clicked):
        QApplication.sendEvent(button, entering(QPoint(2, 2), HELD))
        QApplication.sendEvent(button, QDragLeaveEvent())
        assert not spring._timer.isActive()


def test_an_arrow_is_pressed_for_as_long_as_it_rests(button: QPushButton, qtbot: QtBot) -> None:
    SpringPress(button, again=True)
    pressed: list[bool] = []
    button.clicked.connect(lambda: pressed.append(True))
    QApplication.sendEvent(button, entering(QPoint(2, 2), HELD))
    qtbot.waitUntil(lambda: len(pressed) >= 2, timeout=30_000)
