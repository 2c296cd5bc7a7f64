"""The card that shows the values at a place in a chart."""

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.desktop.charts.hover import HoverCard, HoverRow


@pytest.mark.parametrize("place", [60, 200, 240, 280, 460])
def test_it_never_covers_the_place_that_it_is_about(qtbot: QtBot, place: int) -> None:
    host, room = QWidget(), QRect(40, 0, 460, 180)
    qtbot.addWidget(host)
    host.resize(560, 200)
    card = HoverCard(host)
    card.tell("Sat 14 Nov", "Aufrufe", [HoverRow("data3", "Maya Makes auf YouTube und TikTok", "7.545")])
    assert card.width() > 200
    card.show_beside(place, room)
    assert not card.geometry().left() <= place <= card.geometry().right()
    assert room.left() <= card.geometry().left()
    assert card.geometry().right() <= room.right()
