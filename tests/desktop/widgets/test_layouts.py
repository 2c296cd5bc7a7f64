import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.kit.way import Way
from app.desktop.theme import theme
from app.desktop.widgets import ElidedLabel, Reflow, SidePanel, ends_of


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


@pytest.mark.parametrize(
    ("width", "places"),
    [
        (400, [(0, 0), (284, 0), (342, 0)]),  # at both ends of the row
        (224, [(0, 0), (108, 0), (166, 0)]),
        (223, [(0, 0), (0, 48), (58, 48)]),  # all others in the next line
        (107, [(0, 0), (0, 48), (0, 96)]),
    ],
)
def test_parts_at_the_end_of_a_row_stay_together(
    qtbot: QtBot, width: int, places: list[tuple[int, int]]
) -> None:
    parts = [part(100), part(50), part(58)]
    hidden = part(70)
    row = ends_of(parts[0], hidden, *parts[1:])
    qtbot.addWidget(row)
    hidden.hide()
    row.resize(width, 200)
    row.show()
    assert [(one.x(), one.y()) for one in parts] == places
    assert row.minimumSizeHint().width() == 100


@pytest.mark.parametrize(("always", "left"), [(False, 0), (True, 40)])
def test_parts_at_the_end_may_stay_there_on_a_line_of_their_own(
    qtbot: QtBot, always: bool, left: int
) -> None:
    start, first, second = part(100), part(60), part(92)
    row = ends_of(start, first, second, always=always)
    qtbot.addWidget(row)
    row.resize(200, 200)
    row.show()
    assert start.pos() == QPoint(0, 0)
    assert [one.x() for one in (first, second)] == [left, left + 68]
    assert first.y() == second.y() >= start.height()


def test_a_part_that_is_too_wide_gets_the_whole_line(qtbot: QtBot) -> None:
    name, facts = ElidedLabel("A very long name " * 20), part(60)
    row = ends_of(name, facts)
    qtbot.addWidget(row)
    row.resize(200, 200)
    row.show()
    assert name.width() == 200
    assert name.shown_text().endswith("…")
    assert facts.y() >= name.height()


def test_a_lower_part_is_in_the_middle_of_its_line(qtbot: QtBot) -> None:
    low = QWidget()
    low.setMinimumSize(60, 20)
    row = ends_of(part(100), low)
    qtbot.addWidget(row)
    row.resize(300, 40)
    row.show()
    assert low.y() == 10


def test_a_way_is_no_wider_than_its_sentence_needs(qtbot: QtBot) -> None:
    way = Way(
        "bell", "Publish by hand", "Kalends reminds you, and hands you text and file. " * 3, time="1 min"
    )
    column = QWidget()
    qtbot.addWidget(column)
    QVBoxLayout(column).addWidget(way)
    assert column.minimumSizeHint().width() < way.sizeHint().width()
    column.resize(300, 400)
    column.show()
    assert way.width() < 300


def test_a_side_panel_is_as_wide_inside_whether_it_scrolls_or_not(qtbot: QtBot) -> None:
    panel = SidePanel("Changes")
    qtbot.addWidget(panel)
    row = QWidget()
    panel.body.addWidget(row)
    panel.resize(440, 400)
    panel.show()
    width = row.width()
    assert row.mapTo(panel, QPoint(width, 0)).x() == 440 - theme.current().metrics.gutter
    row.setFixedHeight(900)
    qtbot.waitUntil(lambda: row.height() == 900)
    assert row.width() == width
