"""The rail where there is little room."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.shell.rail import Destination, Rail
from app.desktop.theme import theme

NAMES = ("Calendar", "Drafts", "Media", "Connections", "Analytics", "History", "Usage", "Settings", "More")
HEIGHT = 580


@pytest.fixture(autouse=True)
def usual_size(qapp: QApplication) -> Iterator[None]:
    yield
    theme.apply(qapp, "light")


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_lines_of_a_low_window_do_not_lie_over_each_other(
    qapp: QApplication, qtbot: QtBot, scale: float
) -> None:
    theme.apply(qapp, "light", scale)
    rail = Rail(tuple(Destination(name, name, "image") for name in NAMES))
    rail.header.set_home("Okafor Studio", "On this computer")
    window = QWidget()
    rail.setParent(window)  # alone it would not be lower than it likes to be
    qtbot.addWidget(window)
    window.resize(rail.width(), HEIGHT)
    rail.resize(rail.width(), HEIGHT)
    window.show()
    parts = [rail.header, *rail._items.values(), rail._search, rail._appearance]
    tops = [(part.y(), part.y() + part.height()) for part in parts]
    assert all(above[1] <= below[0] for above, below in pairwise(tops))
    assert rail.header.height() >= rail.header.minimumHeight()
    assert tops[-1][1] <= HEIGHT
    line = rail.fontMetrics().height()
    assert all(bottom - top >= line for top, bottom in tops)
