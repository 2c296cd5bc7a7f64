"""What floats over an empty calendar stays inside it."""

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.calendar.notice import Notice
from app.desktop.widgets import Button, Label
from tests.desktop.calendar.memory import MemoryWorkspace


@pytest.mark.parametrize("width", [220, 300, 700])
def test_the_button_goes_below_words_that_leave_it_no_room(qtbot: QtBot, width: int) -> None:
    ground = QWidget()
    qtbot.addWidget(ground)
    ground.resize(width, 400)
    notice = Notice(ground)
    ground.show()
    notice.explain(MemoryWorkspace(), is_empty=True)
    QApplication.processEvents()
    (label,) = notice.findChildren(Label)
    (button,) = (one for one in notice.findChildren(Button) if one.isVisibleTo(notice))
    assert ground.rect().contains(notice.geometry())
    assert label.height() >= label.heightForWidth(label.width())
    assert not label.geometry().intersects(button.geometry())
    assert label.wordWrap() is (width < 700)
