"""The table of a chart's numbers."""

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.analytics.card import FigureTable
from app.desktop.theme import theme

_CLEARLY = 60
"""How much darker than its ground a text is at least, of 255."""


def _ends(picture: QImage, across: range, down: range) -> tuple[int, int]:
    """Return the first and the last column of pixels with text on it."""
    plain = picture.pixelColor(across.start, down.start).lightness()
    inked = [x for x in across for y in down if abs(picture.pixelColor(x, y).lightness() - plain) > _CLEARLY]
    return min(inked), max(inked)


@pytest.mark.parametrize("column", [0, 1])
def test_cells_line_up_with_the_names_of_their_columns(qapp: QApplication, qtbot: QtBot, column: int) -> None:
    theme.apply(qapp, "light")
    ground, table = QWidget(), FigureTable("Views per day")
    qtbot.addWidget(ground)
    table.setParent(ground)  # it has no ground of its own
    table.resize(400, 200)
    ground.show()
    table.figures.show_cells(("HHHH", "HHHH"), 1, lambda _row, _column: "HHHH")
    qtbot.waitExposed(ground)
    header, picture = table.horizontalHeader(), ground.grab().toImage()
    left = header.sectionViewportPosition(column) + 2
    across = range(left, left + header.sectionSize(column) - 4)
    foot = header.height()
    name = _ends(picture, across, range(4, foot - 4))
    cell = _ends(picture, across, range(foot + 4, foot + table.rowHeight(0) - 4))
    assert abs(name[column] - cell[column]) <= 1
