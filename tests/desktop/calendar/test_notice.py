"""What floats over an empty calendar stays inside it."""

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.calendar.notice import Notice
from app.desktop.widgets import Button, Label
from app.workspace.sync.status import SyncStatus
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


def test_a_rejected_key_is_said_over_the_posts_with_a_way_to_enter_another(qtbot: QtBot) -> None:
    ground = QWidget()
    qtbot.addWidget(ground)
    notice = Notice(ground)
    workspace = MemoryWorkspace()
    workspace.sync = SyncStatus(problem="The service rejected the API key.", key_refused=True)
    notice.explain(workspace, is_empty=False)
    assert [label.text() for label in notice.findChildren(Label)] == ["The service rejected the API key."]
    (button,) = (one for one in notice.findChildren(Button) if one.isVisibleTo(notice))
    with qtbot.waitSignal(notice.wantedKey):
        button.click()
    workspace.sync = SyncStatus(connected=True)
    notice.explain(workspace, is_empty=False)
    assert not notice.isVisibleTo(ground)
