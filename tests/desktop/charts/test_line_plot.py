"""Where things stand in a line chart: the mouse finds what is drawn below it, and gaps stay gaps."""

from collections.abc import Callable, Sequence
from itertools import product

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.charts.hover import HoverCard, HoverRow
from app.desktop.charts.line_plot import LinePlot
from app.desktop.charts.scale import Axis, Stroke
from app.desktop.theme import theme

Draw = Callable[..., LinePlot]


@pytest.fixture
def draw(qtbot: QtBot) -> Draw:
    plot = LinePlot("Views by day", str)
    qtbot.addWidget(plot)
    plot.resize(400, 200)
    plot.show()

    def drawn(*values: float | None, places: int = 0) -> LinePlot:
        stroke = Stroke("Views", "#FF0000", values)
        plot.show_lines([stroke], Axis(places or len(values), ()))
        QApplication.processEvents()
        return plot

    return drawn


def is_red(plot: LinePlot, place: int, value: float) -> bool:
    picture: QImage = plot.grab().toImage()
    around = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    at = round(plot.x_of(place)), round(plot.y_of(value))
    colors = [QColor(picture.pixel(at[0] + x, at[1] + y)) for x, y in around]
    return any(color.red() > 200 and color.green() < 120 for color in colors)


@pytest.mark.parametrize("places", [1, 2, 7, 90])
def test_the_mouse_finds_the_place_below_it(draw: Draw, places: int) -> None:
    plot = draw(*range(places))
    found = []
    for place in range(places):
        QTest.mouseMove(plot, QPoint(round(plot.x_of(place)), 60))
        QApplication.processEvents()
        found.append(plot.place)
    assert found == list(range(places))


@pytest.mark.parametrize("values", [(0, 5, 10), (-20, 0, 30), (0, 0, 0), (1e9, 2e9, 3e9)])
def test_a_line_goes_through_its_values(draw: Draw, values: Sequence[float]) -> None:
    plot = draw(*values)
    for place, value in enumerate(values):
        assert 0 <= plot.y_of(value) <= plot.foot
        assert is_red(plot, place, value)


def test_what_is_told_of_a_place_leaves_the_axis_readable(draw: Draw) -> None:
    plot = draw(*range(0, 2_800_000, 100_000))
    card = plot.findChild(HoverCard)
    assert card is not None
    for place in range(28):
        QTest.mouseMove(plot, QPoint(round(plot.x_of(place)), 60))
        plot.tell("Sat 14 Nov", "views", [HoverRow("#FF0000", "Maya", "7,545")])
        assert plot.x_of(0) - 4 < card.x() <= plot.width() - card.width()


def test_a_day_without_a_value_is_a_gap_and_a_lonely_one_a_dot(draw: Draw) -> None:
    plot = draw(10, None, 10, None, None, places=6)
    assert [is_red(plot, place, 10) for place in (0, 1, 2, 4)] == [True, False, True, False]


@pytest.mark.parametrize("is_dashed", [False, True])
def test_a_line_is_as_thick_on_a_fine_screen(draw: Draw, is_dashed: bool) -> None:
    plot = draw(0)
    plot.show_lines([Stroke("Views", "#FF0000", (5, 5), is_dashed)], Axis(2, ()))
    middle, y = round(plot.x_of(0) + plot.x_of(1)) // 2, round(plot.y_of(5))
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
    x, y = round(plot.x_of(1)), round(plot.y_of(10))
    plot.show_lines([], Axis(2, ()))
    assert QColor(plot.grab().toImage().pixel(x, y)).green() > 200
    assert is_red(draw(0, 10), 1, 10)


def test_what_a_stroke_knows_of_its_values() -> None:
    stroke = Stroke("Views", "#FF0000", (None, 1, 2, None, 3, None))
    assert (stroke.last, stroke.dots) == (4, {4})
    dashed = Stroke("Views", "#FF0000", (7, None, 1, 2), is_dashed=True)
    assert (dashed.last, dashed.dots) == (3, {0})
    empty = Stroke("Views", "#FF0000", (None,))
    assert (empty.last, empty.dots) == (None, set())
    assert [stroke.value(place) for place in (-1, 1, 9)] == [None, 1, None]


def test_the_arrows_walk_from_the_last_value_and_say_what_is_there(draw: Draw) -> None:
    plot = draw(4, 5, 6, None, places=6)
    plot.asked.connect(lambda place: plot.tell(f"Day {place}", "views", [HoverRow("#FF0000", "All", "5")]))
    seen = []
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right, *[Qt.Key.Key_Right] * 9):
        QTest.keyClick(plot, key)
        seen.append(plot.place)
    assert seen == [2, 1, 2, 3, 4, *[5] * 7]
    assert plot.accessibleDescription() == "Day 5, views: All 5"


def test_a_screen_reader_gets_the_summary_while_no_place_is_asked_for(draw: Draw) -> None:
    plot = draw(1)
    plot.show_lines([Stroke("Calls", "#FF0000", (3, 4))], Axis(9, (), asked=2), "1 May: 3; 2 May: 4")
    assert plot.accessibleDescription() == "1 May: 3; 2 May: 4"
    plot.asked.connect(lambda place: plot.tell(f"{place} May: {place}"))
    QTest.mouseMove(plot, QPoint(round(plot.x_of(1)), 60))
    QTest.mouseMove(plot, QPoint(round(plot.x_of(1)), 61))
    assert (plot.place, plot.accessibleDescription()) == (1, "1 May: 1")
    QTest.mouseMove(plot, QPoint(round(plot.x_of(5)), 60))  # a day to come
    assert (plot.place, plot.accessibleDescription()) == (None, "1 May: 3; 2 May: 4")


def test_a_quiet_line_shows_only_where_it_is_asked_for(draw: Draw) -> None:
    plot = draw(1)
    plot.show_lines([Stroke("Today", "#FF0000", (None, 8), is_quiet=True)], Axis(2, ()))
    assert not is_red(plot, 1, 8)
    QTest.keyClick(plot, Qt.Key.Key_Left)
    assert is_red(plot, 1, 8)


def test_numbers_and_names_have_room_at_large_text(draw: Draw, qapp: QApplication) -> None:
    plot = draw(0, 1_000_000_000)
    theme.apply(qapp, "light", 2.0)
    metrics = QFontMetrics(theme.current().font("small"))
    assert plot.x_of(0) > metrics.horizontalAdvance("1000000000")
    assert plot.height() - plot.foot >= metrics.height()


def test_lines_say_what_they_are_where_they_end(draw: Draw) -> None:
    """Above their ends, or below where another line's words are."""
    plot = draw(0)

    def show(own: float, median: float) -> list[tuple[str, float, float]]:
        strokes = [
            Stroke("Median", "#0000FF", (0, median / 2, median), is_dashed=True, end="median"),
            Stroke("Own", "#FF0000", (0, own / 2, own), end="this post"),
            Stroke("Another", "#FF0000", (100,), is_quiet=True),
        ]
        plot.show_lines(strokes, Axis(3, ()))
        ends = plot.ends()
        assert all(plot.rect().toRectF().contains(place) for _, place in ends)
        assert not any(one.intersects(other) for _, one in ends for _, other in ends if one is not other)
        return [(words, place.bottom(), place.top()) for words, place in ends]

    (own, own_bottom, _), (median, median_bottom, _) = show(80, 30)
    assert (own, median) == ("this post", "median")
    assert own_bottom < plot.y_of(80)
    assert median_bottom < plot.y_of(30)
    (_, own_bottom, _), (_, _, median_top) = show(50, 49)
    assert own_bottom < plot.y_of(50)
    assert median_top > plot.y_of(49)
