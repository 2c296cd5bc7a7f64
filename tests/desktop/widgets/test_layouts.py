import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.desktop.widgets import Reflow


def part(width: int) -> QWidget:
    made = QWidget()
    made.setMinimumSize(width, 40)
    return made


@pytest.fixture
def reflow(qtbot: QtBot) -> Reflow:
    made = Reflow((1, 1))
    qtbot.addWidget(made)
    made.resize(600, 100)
    return made


def test_columns_stand_below_each_other_where_they_do_not_fit(reflow: Reflow) -> None:
    left, right = part(200), part(300)
    reflow.add(left, 0, 0)
    reflow.add(right, 0, 1)
    reflow.show()
    assert (left.y(), right.y()) == (0, 0)
    reflow.resize(511, 100)
    assert reflow.is_stacked
    assert (right.x(), left.width()) == (0, 511)
    assert right.y() > left.y()
    reflow.resize(600, 100)
    assert right.x() > left.x()


def test_it_needs_no_more_width_than_its_widest_part(reflow: Reflow) -> None:
    for column, width in enumerate((200, 300)):
        reflow.add(part(width), 0, column)
    assert reflow.minimumSizeHint().width() == 300


def test_what_is_hidden_needs_no_room(reflow: Reflow, qtbot: QtBot) -> None:
    hidden = part(400)
    reflow.add(shown := part(200), 0, 0)
    reflow.add(hidden, 0, 1)
    hidden.hide()
    reflow.resize(300, 100)
    reflow.show()
    assert not reflow.is_stacked
    qtbot.waitUntil(lambda: shown.width() == 300)
    reflow.resize(700, 100)
    hidden.show()
    qtbot.waitUntil(lambda: shown.width() < 300)
