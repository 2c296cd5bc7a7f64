"""Where things stand in a line chart: the mouse finds what is drawn below it, and gaps stay gaps."""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.analytics.plots import LinePlot
from app.desktop.analytics.strokes import Axis, Stroke, ticks_around

NAN = float("nan")
Draw = Callable[..., LinePlot]


@pytest.fixture
def draw(qtbot: QtBot) -> Draw:
    plot = LinePlot("Views by day")
    qtbot.addWidget(plot)
    plot.resize(400, 200)
    plot.show()

    def drawn(*values: float, places: int = 0) -> LinePlot:
        stroke = Stroke("Views", "#FF0000", np.array(values, np.float64))
        plot.show_lines([stroke], Axis(places or len(values), ()))
        QApplication.processEvents()
        return plot

    return drawn


def is_red(plot: LinePlot, place: int, value: float) -> bool:
    picture: QImage = plot.grab().toImage()
    around = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    at = plot._x_of(place), round(plot.y_of(value))
    colors = [QColor(picture.pixel(at[0] + x, at[1] + y)) for x, y in around]
    return any(color.red() > 200 and color.green() < 120 for color in colors)


@pytest.mark.parametrize("places", [1, 2, 7, 90])
def test_the_mouse_finds_the_place_below_it(draw: Draw, places: int) -> None:
    plot = draw(*range(places))
    found = []
    for place in range(places):
        QTest.mouseMove(plot, QPoint(plot._x_of(place), 60))
        QApplication.processEvents()
        found.append(plot.place)
    assert found == list(range(places))


@pytest.mark.parametrize("values", [(0, 5, 10), (-20, 0, 30), (0, 0, 0), (1e9, 2e9, 3e9)])
def test_a_line_goes_through_its_values(draw: Draw, values: Sequence[float]) -> None:
    plot = draw(*values)
    for place, value in enumerate(values):
        assert 0 <= plot.y_of(value) <= plot._canvas.foot
        assert is_red(plot, place, value)


def test_a_day_without_a_value_is_a_gap_and_a_lonely_one_a_dot(draw: Draw) -> None:
    plot = draw(10, NAN, 10, NAN, NAN, places=6)
    assert [is_red(plot, place, 10) for place in (0, 1, 2, 4)] == [True, False, True, False]


@pytest.mark.parametrize("is_dashed", [False, True])
def test_a_line_is_as_thick_on_a_fine_screen(draw: Draw, is_dashed: bool) -> None:
    plot = draw(0)
    plot.show_lines([Stroke("Views", "#FF0000", np.array([5.0, 5.0]), is_dashed)], Axis(2, ()))
    middle, y = (plot._x_of(0) + plot._x_of(1)) // 2, round(plot.y_of(5))
    inks = []
    for ratio in (1, 2):
        picture = QImage(plot.size() * ratio, QImage.Format.Format_RGB32)
        picture.setDevicePixelRatio(ratio)
        plot.render(picture)
        places = product(range(middle - 20, middle + 20), range(y - 5, y + 5), range(ratio), range(ratio))
        colors = (QColor(picture.pixel(x * ratio + i, high * ratio + j)) for x, high, i, j in places)
        inks.append(sum(255 - color.green() for color in colors) / ratio**2)
    assert inks[1] == pytest.approx(inks[0], rel=0.15)


def test_fewer_lines_leave_nothing_of_those_before(draw: Draw) -> None:
    plot = draw(0, 10)
    x, y = plot._x_of(1), round(plot.y_of(10))
    plot.show_lines([], Axis(2, ()))
    assert QColor(plot.grab().toImage().pixel(x, y)).green() > 200
    assert is_red(draw(0, 10), 1, 10)


def test_what_a_stroke_knows_of_its_values() -> None:
    stroke = Stroke("Views", "#FF0000", np.array([NAN, 1, 2, NAN, 3, NAN]))
    assert (stroke.last, stroke.lonely) == (4, {4})
    empty = Stroke("Views", "#FF0000", np.array([NAN]))
    assert (empty.last, empty.lonely) == (None, set())
    assert ticks_around([empty])[0] == 0
