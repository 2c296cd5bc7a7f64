"""The rail where there is little room."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.shell.rail import Destination, Rail
from app.desktop.shell.window import DESTINATIONS
from app.desktop.theme import theme
from app.language import tr, use
from tests.gallery.measure.texts import texts_of

NAMES = ("Calendar", "Drafts", "Media", "Connections", "Analytics", "History", "Usage", "Settings", "More")
SECTIONS = dict.fromkeys(("Analytics", "History"), "Results") | dict.fromkeys(("Usage", "Settings"), "Set up")
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
    rail = Rail(
        tuple(Destination(name, name, "image", SECTIONS.get(name, ""), name == "More") for name in NAMES)
    )
    rail.header.set_home("Okafor Studio", "On this computer")
    window = QWidget()
    rail.setParent(window)  # alone it would not be lower than it likes to be
    qtbot.addWidget(window)
    window.resize(rail.width(), HEIGHT)
    rail.resize(rail.width(), HEIGHT)
    window.show()
    *upper, foot = rail._items.values()
    parts = [rail.header, *upper, rail._search, foot]
    tops = [(part.y(), part.y() + part.height()) for part in parts]
    assert all(above[1] <= below[0] for above, below in pairwise(tops))
    assert rail.header.height() >= rail.header.minimumHeight()
    assert tops[-1][1] <= HEIGHT
    line = rail.fontMetrics().height()
    assert all(bottom - top >= line for top, bottom in tops)


def test_counts_are_said_and_a_line_is_one_choice_of_several(qtbot: QtBot) -> None:
    rail = Rail((Destination("drafts", "Drafts", "image"),))
    qtbot.addWidget(rail)
    (line,) = rail._items.values()
    rail.set_count("drafts", 2, "2 drafts")
    assert line.accessibleDescription() == "2 drafts"
    rail.set_count("drafts", 0, "0 drafts")
    assert line.accessibleDescription() == ""
    interface = QAccessible.queryAccessibleInterface(line)
    assert interface is not None
    assert interface.role() is QAccessible.Role.RadioButton


def test_the_sidebar_is_as_narrow_in_german_as_in_english(qapp: QApplication, qtbot: QtBot) -> None:
    theme.apply(qapp, "light")
    use("de")
    try:
        rail = Rail(tuple(replace(pane, label=tr(pane.label)) for pane in DESTINATIONS))
    finally:
        use("en")
    qtbot.addWidget(rail)
    assert rail.width() == theme.current().metrics.rail


def test_a_narrow_sidebar_shows_icons_with_their_words_in_tooltips(qapp: QApplication, qtbot: QtBot) -> None:
    theme.apply(qapp, "light", 2.0)
    rail = Rail(DESTINATIONS)
    rail.header.set_home("Okafor Studio", "On this computer")
    qtbot.addWidget(rail)
    rail.resize(rail.width(), 900)
    rail.show()
    usual = rail.width()
    assert usual == rail.usual_width
    rail.set_narrow(True)
    assert rail.width() < usual / 4
    assert rail.usual_width == usual
    assert not [text.words for text in texts_of(rail)]
    lines = [rail.header, *rail._items.values(), rail._search]
    assert all(line.shows_name and line.accessibleName() and not line.toolTip() for line in lines)
    rail.set_narrow(False)
    assert rail.width() == usual
    assert not any(line.shows_name for line in lines)


@pytest.mark.parametrize("is_urgent", [True, False])
def test_a_narrow_line_has_a_dot_for_an_urgent_count(
    qapp: QApplication, qtbot: QtBot, is_urgent: bool
) -> None:
    theme.apply(qapp, "light")
    rail = Rail((Destination("drafts", "Drafts", "image"),))
    qtbot.addWidget(rail)
    rail.set_narrow(True)
    (line,) = rail._items.values()
    plain = line.grab().toImage()
    rail.set_count("drafts", 2, "2 drafts", is_urgent=is_urgent)
    assert (line.grab().toImage() != plain) == is_urgent
