from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from app.desktop.calendar.parts import Parts, Sizes, Wanted, arrange
from app.desktop.calendar.placement import (
    LINE_HEIGHT,
    MEDIUM_HEIGHT,
    SHORT_HEIGHT,
    STACKED_BELOW,
    STACKED_HEIGHT,
    TALL_HEIGHT,
    Box,
)

SIZES = Sizes(time=34, tag=50)
wide = st.tuples(
    st.integers(64, 400), st.sampled_from([LINE_HEIGHT, MEDIUM_HEIGHT, SHORT_HEIGHT, TALL_HEIGHT])
)
lanes = st.tuples(st.integers(44, STACKED_BELOW - 1), st.sampled_from([TALL_HEIGHT, STACKED_HEIGHT]))
sizes = st.one_of(wide, lanes)
wishes = st.builds(Wanted, st.booleans(), st.booleans(), st.booleans(), st.booleans())
EVERYTHING = Wanted(tile=True, state=True, practice=True, note=False)


def boxes(parts: Parts) -> list[Box]:
    found = (parts.glyph, parts.time, parts.text, parts.tile, parts.state, parts.tag)
    return [box for box in found if box is not None and box.width > 0]


@given(sizes, wishes)
def test_parts_of_a_card_stay_in_it_and_apart(size: tuple[int, int], wanted: Wanted) -> None:
    width, height = size
    parts = boxes(arrange(width, height, wanted, SIZES))
    assert not [pair for pair in combinations(parts, 2) if pair[0].intersects(pair[1])]
    for box in parts:
        assert box.x >= 0
        assert box.x + box.width <= width
        assert box.y >= 0
        assert box.y + box.height <= height


@given(sizes, wishes)
def test_only_what_is_wanted_is_there(size: tuple[int, int], wanted: Wanted) -> None:
    parts = arrange(*size, wanted, SIZES)
    assert wanted.tile or parts.tile is None
    assert wanted.state or parts.state is None
    assert wanted.practice or parts.tag is None


def test_a_wide_card_shows_everything() -> None:
    parts = arrange(200, TALL_HEIGHT, EVERYTHING, SIZES)
    assert parts.tile is not None
    assert parts.state is not None
    assert parts.tag is not None
    assert (parts.tile.width, parts.tag.width, parts.lines) == (34, 50, 2)


def test_a_narrow_card_carries_a_small_tile_and_gives_its_width_to_the_words() -> None:
    parts = arrange(100, TALL_HEIGHT, Wanted(tile=True, state=False, practice=False, note=False), SIZES)
    assert parts.tile is not None
    assert parts.tile.width == 14
    assert parts.text.width > 80


def test_in_a_third_of_a_day_the_time_has_its_own_line() -> None:
    parts = arrange(47, STACKED_HEIGHT, Wanted(tile=False, state=False, practice=False, note=False), SIZES)
    assert parts.time.y >= parts.glyph.y + parts.glyph.height
    assert parts.lines == 2
