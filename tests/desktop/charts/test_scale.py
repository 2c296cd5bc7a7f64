"""The laws of scales, ticks, gaps, thinning and names."""

from itertools import groupby, pairwise
from math import floor

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.desktop.charts.scale import (
    Name,
    Scale,
    apart,
    last_known,
    names_with_room,
    nearest,
    round_ticks,
    runs,
    thinned,
    ticks_around,
)

numbers = st.floats(-1e12, 1e12)
pixels = st.floats(-4_000, 4_000)
lines = st.lists(st.none() | st.integers(-(10**12), 10**12))


def is_round(step: int) -> bool:
    """1, 2, 2.5, 5 times a power of ten."""
    while step % 10 == 0:
        step //= 10
    return step in {1, 2, 5, 25}


@given(st.integers(0, 10**15) | st.floats(0, 1e15))
def test_ticks_are_few_round_numbers_from_0_to_above(most: float) -> None:
    ticks = round_ticks(most)
    assert ticks[0] == 0
    assert ticks[-1] >= most
    assert 2 <= len(ticks) <= 6
    (step,) = {after - before for before, after in pairwise(ticks)}
    assert is_round(step)
    assert most <= step or ticks[-2] < most


@given(st.lists(st.lists(st.none() | numbers)))
def test_ticks_go_around_0_and_all_values(rows: list[list[float | None]]) -> None:
    ticks = ticks_around(rows)
    known = [value for row in rows for value in row if value is not None]
    assert 0 in ticks
    assert ticks[0] <= min([0, *known])
    assert ticks[-1] >= max([0, *known])
    assert len(ticks) <= 12
    (step,) = {after - before for before, after in pairwise(ticks)}
    assert is_round(step)


@given(numbers, st.floats(1e-3, 1e12), pixels, st.floats(1, 4_000), st.booleans(), st.floats(0, 1))
def test_a_scale_goes_to_pixels_and_back(
    low: float, span: float, start: float, room: float, is_down: bool, share: float
) -> None:
    assume(low + span > low)
    end = start - room if is_down else start + room
    scale = Scale(low, low + span, start, end)
    value = low + span * share
    assert scale.at(scale.low) == start
    assert scale.at(scale.high) == pytest.approx(end)
    assert min(start, end) - 1e-6 <= scale.at(value) <= max(start, end) + 1e-6
    assert scale.value(scale.at(value)) == pytest.approx(value, rel=1e-6, abs=span * 1e-6 + abs(low) * 1e-9)


def test_a_scale_without_room_or_span_divides_by_nothing() -> None:
    assert Scale(3, 3, 10, 20).at(3) == 10
    assert Scale(0, 9, 5, 5).value(5) == 0


@given(st.integers(1, 200), st.floats(10, 4_000), st.data())
def test_the_nearest_place_is_nearest(places: int, width: float, data: st.DataObject) -> None:
    scale = Scale(-0.2, places - 0.8, 40, 40 + width)
    pixel = data.draw(st.floats(scale.at(0), scale.at(places - 1)) if places > 1 else st.just(scale.at(0)))
    found = nearest(scale, pixel, places)
    assert found is not None
    best = min(abs(scale.at(place) - pixel) for place in range(places))
    assert abs(scale.at(found) - pixel) == pytest.approx(best, abs=1e-6)
    assert nearest(scale, scale.at(places + 1), places) is None
    assert nearest(scale, scale.at(-2), places) is None


@given(lines)
def test_runs_hold_every_value_once_and_end_at_gaps(values: list[int | None]) -> None:
    found = runs(values)
    known = [place for place, value in enumerate(values) if value is not None]
    assert [place for places in found for place in places] == known
    assert all(len(places) for places in found)
    assert all(before.stop < after.start for before, after in pairwise(found))
    assert last_known(values) == (known[-1] if known else None)


@given(st.lists(st.tuples(st.floats(0, 40), st.floats(-100, 100)), max_size=900))
def test_thinned_points_keep_each_column_s_ends_and_its_lowest_and_highest(
    points: list[tuple[float, float]],
) -> None:
    points.sort(key=lambda point: point[0])
    found = list(thinned(points))
    rest = iter(points)
    assert all(point in rest for point in found)  # the same points, in their order
    for kept, whole in zip(columns(found), columns(points), strict=True):
        assert kept[0] == whole[0]
        assert kept[-1] == whole[-1]
        assert min(y for _, y in kept) == min(y for _, y in whole)
        assert max(y for _, y in kept) == max(y for _, y in whole)
    if points:
        assert len(found) <= 4 * (points[-1][0] - points[0][0] + 2)


def columns(points: list[tuple[float, float]]) -> list[list[tuple[float, float]]]:
    return [list(column) for _, column in groupby(points, lambda point: floor(point[0]))]


@given(
    st.lists(st.tuples(st.floats(0, 500), st.floats(1, 90)), max_size=20),
    st.floats(0, 10),
    st.none() | st.tuples(st.floats(0, 400), st.floats(1, 90)),
)
def test_names_neither_touch_each_other_nor_what_is_taken(
    told: list[tuple[float, float]], gap: float, today: tuple[float, float] | None
) -> None:
    names = [Name(place, "", *one) for place, one in enumerate(sorted(told))]
    taken = (today[0], today[0] + today[1]) if today else None
    kept = names_with_room(names, gap, taken)
    for before, after in pairwise(kept):
        assert after.middle - after.width / 2 - (before.middle + before.width / 2) >= gap - 1e-9
    for name in kept:
        left, right = name.middle - name.width / 2, name.middle + name.width / 2
        assert taken is None or right + gap <= taken[1] or left - gap >= taken[0]
        assert taken is None or right <= taken[0] + 1e-9 or left >= taken[1] - 1e-9
    if names and taken is None:
        assert kept[0] == names[0]


@given(st.lists(st.floats(-50, 400), max_size=12), st.floats(5, 20), st.floats(0, 400))
def test_what_is_apart_does_not_touch_and_is_moved_only_where_it_would(
    told: list[float], height: float, lowest: float
) -> None:
    tops = sorted(told)
    found = apart(tops, height, lowest)
    assert len(found) == len(tops)
    assert all(after - before >= height - 1e-6 for before, after in pairwise(found))
    assert all(top <= lowest for top in found)
    has_room = all(after - before >= height for before, after in pairwise(tops))
    if has_room and tops and tops[0] >= 0 and tops[-1] <= lowest:
        assert found == pytest.approx(tops)
