"""Bars are as long as their shares, from the side where reading begins."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.desktop.charts.paint import PartsMeter, PeriodMeter, ProgressMeter
from app.desktop.theme import theme

WIDTH = 200
SIDES = [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft]


def inked(meter: QWidget, qtbot: QtBot, role: str, y: int, side: Qt.LayoutDirection) -> list[int]:
    """The columns in a colour, counted from the side where reading begins."""
    qtbot.addWidget(meter)
    meter.resize(WIDTH, meter.height())
    meter.setLayoutDirection(side)
    picture: QImage = meter.grab().toImage()
    wanted, last = QColor(theme.current().color(role)).rgb(), WIDTH - 1
    found = [x for x in range(WIDTH) if picture.pixel(x, y) == wanted]
    return found if side is Qt.LayoutDirection.LeftToRight else [last - x for x in reversed(found)]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("share", "end"), [(0, 0), (0.5, 100), (1, 200), (7, 200), (-1, 0)])
def test_progress_is_as_long_as_its_share(
    qtbot: QtBot, share: float, end: int, side: Qt.LayoutDirection
) -> None:
    meter = ProgressMeter()
    meter.set_share(share)
    found = inked(meter, qtbot, "accent", 6, side)
    assert (found[-1] if found else 0) == pytest.approx(end, abs=3)
    assert len(found) == pytest.approx(end, abs=5)


@pytest.mark.parametrize("side", SIDES)
def test_today_is_at_the_end_of_what_is_over(qtbot: QtBot, side: Qt.LayoutDirection) -> None:
    meter = PeriodMeter()
    meter.set_share(0.25)
    assert inked(meter, qtbot, "rubric", 2, side) == [49, 50]


@pytest.mark.parametrize("side", SIDES)
def test_parts_follow_each_other(qtbot: QtBot, side: Qt.LayoutDirection) -> None:
    meter = PartsMeter()
    meter.show_parts([(0.5, "text2"), (0, "rubric"), (0.25, "data3")])
    first, second = (inked(meter, qtbot, role, 6, side) for role in ("text2", "data3"))
    assert [first[0], len(first)] == pytest.approx([0, 99], abs=2)
    assert [second[0], len(second)] == pytest.approx([100, 49], abs=2)
    assert inked(meter, qtbot, "rubric", 6, side) == []
