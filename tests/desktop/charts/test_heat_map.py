"""The heat map: levels, keys, and what is said of a cell."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.desktop.charts.heat_map import LEVELS, Cells, HeatMap, level_of
from app.desktop.theme import theme

ROWS, COLUMNS = ("Mon", "Tue", "Wed"), ("06", "07", "08", "09")


def shown(qtbot: QtBot, best: tuple[int, int] | None = None) -> HeatMap:
    made = HeatMap("Interactions")
    qtbot.addWidget(made)
    made.resize(340, 170)
    made.show_cells(Cells(ROWS, COLUMNS, {(1, 2): 4}, lambda row, column: f"{ROWS[row]} {column}", best))
    made.show()
    return made


def test_the_first_key_goes_to_the_best_cell_and_the_others_stay_inside(qtbot: QtBot) -> None:
    heat = shown(qtbot, best=(1, 2))
    said = []
    for key in (Qt.Key.Key_Up, *[Qt.Key.Key_Right] * 3, *[Qt.Key.Key_Up] * 2, *[Qt.Key.Key_Left] * 5):
        QTest.keyClick(heat, key)
        said.append(heat.accessibleDescription())
    assert said[:6] == ["Tue 2", "Tue 3", "Tue 3", "Tue 3", "Mon 3", "Mon 3"]
    assert said[-1] == "Mon 0"
    heat.show_cells(Cells(ROWS, COLUMNS, {}, lambda _row, _column: ""))
    assert heat.accessibleDescription() == ""


def test_cells_mirror_each_other_and_are_found_where_they_are_drawn(qtbot: QtBot) -> None:
    heat = shown(qtbot)
    assert heat._cells is not None
    for side in (Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft):
        heat.setLayoutDirection(side)
        for row in range(len(ROWS)):
            for column in range(len(COLUMNS)):
                middle = heat._box(heat._cells, row, column).center()
                assert heat._cell_at(heat._cells, middle) == (row, column)
    assert heat._box(heat._cells, 0, 0).left() > heat._box(heat._cells, 0, 3).left()


def test_a_cell_with_too_few_values_is_only_an_outline(qtbot: QtBot) -> None:
    heat = shown(qtbot)
    middle = heat._box(heat._cells, 1, 2).center().toPoint()  # type: ignore[arg-type]
    assert heat.grab().toImage().pixelColor(middle) == theme.current().color("text")
    heat.show_cells(Cells(ROWS, COLUMNS, {(1, 2): 4}, lambda _row, _column: "", unrated={(1, 2)}))
    assert heat.grab().toImage().pixelColor(middle) != theme.current().color("text")


def test_levels_go_from_the_lightest_to_the_darkest() -> None:
    assert [level_of(value, 100) for value in (0, 19, 20, 99, 100)] == [0, 0, 1, 4, LEVELS - 1]
    assert level_of(0, 0) == 0
    assert level_of(-5, 100) == 0
