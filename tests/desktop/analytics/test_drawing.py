"""Where things stand in a line chart: the mouse finds what is drawn below it, and gaps stay gaps."""

from collections.abc import Sequence

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from app.desktop.analytics.drawing import Axis, Drawing, Stroke, runs
from app.desktop.theme import theme

SIZE = QSize(400, 200)
NAN = float("nan")


@pytest.fixture(autouse=True)
def light(qapp: QApplication) -> None:
    theme.apply(qapp, "light")


def drawing(*values: float, places: int = 0) -> Drawing:
    stroke = Stroke("Views", "#FF0000", np.array(values, np.float64))
    return Drawing([stroke], Axis(places or len(values), ()), SIZE)


def painted(of: Drawing) -> QImage:
    picture = QImage(SIZE, QImage.Format.Format_RGB32)
    picture.fill(QColor("white"))
    painter = QPainter(picture)
    of.paint(painter)
    painter.end()
    return picture


def is_red(picture: QImage, x: float, y: float) -> bool:
    color = QColor(picture.pixel(round(x), round(y)))
    return color.red() > 200 and color.green() < 120


@pytest.mark.parametrize("places", [1, 2, 7, 90])
def test_the_mouse_finds_the_place_below_it(places: int) -> None:
    found = drawing(*range(places))
    assert [found.place_at(found.x_of(place)) for place in range(places)] == list(range(places))


@pytest.mark.parametrize("values", [(0, 5, 10), (-20, 0, 30), (0, 0, 0), (1e9, 2e9, 3e9)])
def test_a_line_goes_through_its_values(values: Sequence[float]) -> None:
    found = drawing(*values)
    picture = painted(found)
    for place, value in enumerate(values):
        assert 0 <= found.y_of(value) <= found.foot
        assert is_red(picture, found.x_of(place), found.y_of(value))


def test_a_day_without_a_value_is_a_gap_and_a_lonely_one_a_dot() -> None:
    found = drawing(10, NAN, 10, NAN, NAN, places=6)
    picture = painted(found)
    assert is_red(picture, found.x_of(0), found.y_of(10))
    assert not is_red(picture, found.x_of(1), found.y_of(10))
    assert is_red(picture, found.x_of(2), found.y_of(10))
    assert not is_red(picture, found.x_of(4), found.y_of(10))


def test_values_without_gaps_are_told_with_the_place_of_the_first() -> None:
    assert runs(np.array([NAN, 1, 2, NAN, 3])) == [(1, [1, 2]), (4, [3])]
    assert runs(np.array([NAN])) == []
    assert runs(np.zeros(0)) == []


def test_nothing_and_the_smallest_room_are_painted_too() -> None:
    painted(Drawing((), Axis(1, ()), QSize(1, 1)))
