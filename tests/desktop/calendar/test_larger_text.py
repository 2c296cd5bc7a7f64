"""The calendar's arithmetic for larger text: what stood apart still does, and text has its room."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from app.desktop.calendar.agenda import agenda_geometry
from app.desktop.calendar.days import Span
from app.desktop.calendar.geometry import HOUR_HEIGHT, hour_height, month_geometry
from app.desktop.calendar.looks import LINE_PITCH, Sizes, Wanted, arrange
from app.desktop.calendar.placement import TALL_HEIGHT, Box
from app.desktop.theme import theme
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.memory import instant, post
from tests.gallery.measure.fits import cut_texts
from tests.gallery.measure.texts import texts_of

TODAY = 741_000
scales = st.sampled_from([1.0, 1.1, 1.25, 1.5, 1.75, 2.0])


@given(scales, st.integers(70, 300), st.builds(Wanted, *[st.booleans()] * 5))
def test_the_parts_of_a_card_stay_apart(scale: float, width: int, wanted: Wanted) -> None:
    parts = arrange(width, TALL_HEIGHT, wanted, Sizes(32, 46, 8)).scaled(scale)
    marks = [box for box in (parts.glyph, parts.time, parts.state, parts.tile, parts.tag) if box is not None]
    assert not any(one.intersects(other) for one, other in combinations(marks, 2))
    assert parts.text.height >= int(LINE_PITCH * scale)


@given(scales, st.integers(0, 90), st.integers(1, 90), st.integers(1, 90))
def test_what_stood_below_each_other_still_does(scale: float, top: int, first: int, second: int) -> None:
    above = Box(5, top, 40, first)
    below = Box(5, top + first, 40, second)
    assert above.scaled(scale).y + above.scaled(scale).height == below.scaled(scale).y


@pytest.mark.parametrize(("scale", "rows"), [(1, 5), (1.25, 5), (1.5, 4), (2, 3)])
def test_larger_text_has_fewer_and_higher_weeks(scale: float, rows: int) -> None:
    assert month_geometry(900, 600, TODAY, scale).rows == rows


def test_hours_and_rows_grow_with_text_and_never_shrink() -> None:
    assert [hour_height(scale) for scale in (0.9, 1, 1.5, 2)] == [HOUR_HEIGHT, HOUR_HEIGHT, 72, 96]
    usual, large = (agenda_geometry(900, [TODAY], lambda _day: 3, TODAY, scale) for scale in (1, 2))
    assert large.cell(TODAY).height == 2 * usual.cell(TODAY).height


def test_the_month_shows_its_numbers_and_accounts_whole_beside_the_widest_panel(
    take: MakeHands, qapp: QApplication
) -> None:
    theme.apply(qapp, "light", 2.0)
    hands = take(post("one", instant("2031-06-12T09:00")), size=(296, 600))
    hands.show(Span.MONTH, "2031-06-12")
    window = hands.pane.window()
    window.grab()
    assert not list(cut_texts(texts_of(window)))
    assert hands.card("one").width() >= 2 * 12  # the icon of its platform
