"""Scroll areas whose bar keeps its room."""

import pytest
import shiboken6
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.widgets import keep_room_for_bar, scroll_area


@pytest.fixture
def area(qtbot: QtBot) -> QScrollArea:
    """A shown area that keeps its bar's room, with a body that needs no scrolling."""
    area = scroll_area()
    qtbot.addWidget(area)
    body = QWidget(area.viewport())
    keep_room_for_bar(area, QVBoxLayout(body))
    area.setWidget(body)
    area.resize(200, 200)
    area.show()
    return area


def test_a_bar_is_enabled_while_there_is_something_to_scroll(qtbot: QtBot, area: QScrollArea) -> None:
    bar, body = area.verticalScrollBar(), area.widget()
    assert body is not None
    assert not bar.isEnabled()
    body.setMinimumHeight(400)
    qtbot.waitUntil(bar.isEnabled)
    body.setMinimumHeight(0)
    qtbot.waitUntil(lambda: not bar.isEnabled())


def test_a_bar_may_still_change_once_it_is_gone_for_python(qtbot: QtBot, area: QScrollArea) -> None:
    """As it does while an area is being destroyed."""
    body = area.widget()
    assert body is not None
    shiboken6.invalidate(area.verticalScrollBar())
    with qtbot.captureExceptions() as exceptions:
        body.setMinimumHeight(400)
        qtbot.waitUntil(lambda: area.viewport().childrenRect().height() >= 400)
    assert exceptions == []
