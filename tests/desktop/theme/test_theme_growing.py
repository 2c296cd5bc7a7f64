"""Lengths that grow with text."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import invalidate

from app.desktop.theme import theme
from app.desktop.theme.theme import grow


@pytest.fixture(autouse=True)
def usual_size(qapp: QApplication) -> Iterator[None]:
    yield
    theme.apply(qapp, "light")


def test_a_length_follows_the_size_of_text_up_to_its_most(qapp: QApplication, qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    grow(widget, QWidget.setFixedWidth, 200, 350)
    widths = []
    for scale in (0.9, 1.0, 1.5, 2.0, 1.0):
        theme.apply(qapp, "light", scale)
        widths.append(widget.maximumWidth())
    assert widths == [200, 200, 300, 350, 200]


def test_a_widget_that_is_gone_is_left_alone(qapp: QApplication) -> None:
    widget = QWidget()
    grow(widget, QWidget.setFixedWidth, 200)
    widget.deleteLater()
    qapp.sendPostedEvents(widget, 52)
    theme.apply(qapp, "light", 2.0)


def test_a_list_that_qt_made_grows_though_python_lost_sight_of_it(qapp: QApplication, qtbot: QtBot) -> None:
    box = QComboBox()
    qtbot.addWidget(box)
    seen = box.view()
    grow(seen, QWidget.setMinimumWidth, 190)
    invalidate(seen)  # as happens to what a box shows, while its card is made anew
    theme.apply(qapp, "light", 2.0)
    assert box.view().minimumWidth() == 380
