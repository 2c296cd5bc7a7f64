"""What floats over an empty calendar stays inside it."""

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.calendar.days import Span
from app.desktop.calendar.notice import Notice
from app.desktop.widgets import Button, Label
from app.workspace.sync.status import SyncStatus
from tests.desktop.calendar.conftest import MakeHands
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


@pytest.mark.parametrize(("height", "is_in_the_middle"), [(500, False), (640, True), (900, True)])
def test_the_notice_is_in_the_middle_of_what_an_empty_agenda_leaves(
    take: MakeHands, height: int, is_in_the_middle: bool
) -> None:
    hands = take(size=(1_232, height), span=Span.AGENDA)
    hands.picture()
    notice, grid = hands.pane.notice, hands.pane.grid
    ground = notice.parentWidget()
    assert ground is not None
    assert notice.isVisible()
    days = ground.height() - grid.unused_height()
    above, below = notice.y() - days, ground.height() - notice.geometry().bottom() - 1
    assert (abs(above - below) <= 1) is is_in_the_middle
    hands.show(Span.MONTH, "2031-06-11")
    assert ground.height() - notice.geometry().bottom() - 1 == 16
