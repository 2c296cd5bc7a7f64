"""Panes that need more room than there is can be scrolled."""

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.shell.regions import PaneArea
from app.desktop.widgets import Label, scrolled


@pytest.mark.parametrize(("least", "scrolls"), [(400, False), (900, True)])
def test_a_pane_that_has_no_room_scrolls_and_is_not_squeezed(
    qtbot: QtBot, least: int, *, scrolls: bool
) -> None:
    area, pane, other = PaneArea(), QWidget(), QWidget()
    qtbot.addWidget(area)
    pane.setMinimumSize(least, 100)
    other.setMinimumSize(5_000, 100)  # does not show, and asks for nothing
    area.add(pane)
    area.add(other)
    area.resize(600, 400)
    area.show()
    area.show_pane(pane)
    qtbot.waitUntil(lambda: (area.horizontalScrollBar().maximum() > 0) is scrolls)
    assert pane.width() == (least if scrolls else 600)


def test_a_strip_beside_a_panel_has_no_scroll_bars(qtbot: QtBot) -> None:
    area, pane = PaneArea(), QWidget()
    qtbot.addWidget(area)
    pane.setMinimumSize(400, 600)
    area.add(pane)
    area.resize(300, 400)
    area.show()
    area.show_pane(pane)
    qtbot.waitUntil(area.horizontalScrollBar().isVisible)
    area.resize(9, 400)
    qtbot.waitUntil(lambda: not area.horizontalScrollBar().isVisible())
    assert not area.verticalScrollBar().isVisible()


@pytest.mark.parametrize(("least", "scrolls"), [(100, False), (500, True)])
def test_a_pane_whose_head_wraps_has_no_scroll_bar_beside_its_own(
    qtbot: QtBot, qapp: QApplication, least: int, *, scrolls: bool
) -> None:
    area, pane, cards = PaneArea(), QWidget(), QLabel("Cards")
    qtbot.addWidget(area)
    cards.setFixedHeight(3_000)
    body = scrolled(cards)
    body.setMinimumHeight(least)
    column = QVBoxLayout(pane)
    column.addWidget(Label("A head with so many words that it needs several lines. " * 3, wrap=True))
    column.addWidget(body, 1)
    area.add(pane)
    area.resize(300, 400)
    area.show()
    area.show_pane(pane)
    for _ in range(5):  # layouts within layouts come to rest one after the other
        qapp.processEvents()
    assert body.verticalScrollBar().isVisible()
    assert area.verticalScrollBar().isVisible() is scrolls
    assert body.height() >= least
