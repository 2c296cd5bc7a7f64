from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.desktop.calendar.geometry import (
    HoursGeometry,
    MonthGeometry,
    fit_past_weeks,
    hours_geometry,
    month_geometry,
)
from app.desktop.calendar.placement import Box
from app.workspace.time.wall import MINUTES_PER_DAY, monday_of

ANCHOR = date(2026, 11, 21).toordinal()
widths = st.integers(70, 3_000)
plain = st.builds(MonthGeometry, widths, st.integers(360, 2_400), st.integers(2, 6), st.just(ANCHOR))


def fitted(month: MonthGeometry, today: int, needs: list[int], scale: float) -> MonthGeometry:
    """The month with past weeks as high as needed; the needs take turns by day."""
    return fit_past_weeks(month, today, scale, lambda day, most: min(most, needs[day % len(needs)]))


months = plain | st.builds(
    fitted,
    plain,
    st.integers(ANCHOR - 40, ANCHOR + 40),
    st.lists(st.integers(27, 900), min_size=1),
    st.sampled_from([1.0, 1.5, 2.0]),
)
hours = st.builds(HoursGeometry, widths, st.sampled_from([1, 7]), st.just(ANCHOR))
nearby = st.integers(ANCHOR - 3_000, ANCHOR + 3_000)


@given(months, nearby, st.floats(0, 0.999), st.floats(0, 0.999))
def test_every_point_of_a_cell_belongs_to_its_day(
    month: MonthGeometry, day: int, across: float, down: float
) -> None:
    cell = month.cell(day)
    assert month.day_at(cell.x + int(cell.width * across), cell.y + int(cell.height * down)) == day


@given(months, nearby)
def test_weeks_fill_the_width_without_gap(month: MonthGeometry, day: int) -> None:
    cells = [month.cell(monday_of(day) + column) for column in range(7)]
    assert cells[0].x == 0
    assert cells[-1].x + cells[-1].width == month.width
    assert all(left.x + left.width == right.x for left, right in pairwise(cells))
    assert len({cell.y for cell in cells}) == 1


@given(months, nearby, st.integers(1, 2_000))
def test_the_days_between_two_heights_are_those_whose_cells_show(
    month: MonthGeometry, day: int, height: int
) -> None:
    top = month.cell(day).y + 7
    shown = set(month.days_in(Box(0, top, month.width, height)))
    around = range(min(shown) - 14, max(shown) + 15)
    seen = {other for other in around if _overlaps(month.cell(other), top, height)}
    assert shown == seen


@given(months)
def test_outside_the_canvas_is_no_day(month: MonthGeometry) -> None:
    assert month.day_at(-1, 0) is None
    assert month.day_at(month.width, 0) is None
    assert month.day_at(0, -1) is None
    assert month.day_at(0, month.content_height) is None


@given(hours, nearby, st.integers(0, MINUTES_PER_DAY - 15), st.sampled_from([1, 15]))
def test_a_point_among_hours_tells_day_and_minute(
    hours: HoursGeometry, day: int, minute: int, step: int
) -> None:
    cell = hours.cell(day)
    height = hours.y_of(minute)
    for x in (cell.x, cell.x + cell.width - 1):
        assert hours.day_at(x, min(height, hours.content_height - 1)) == day
    snapped = hours.minute_at(height, step)
    assert snapped % step == 0
    assert abs(snapped - minute) <= step / 2 + 1  # a minute is less than a pixel


@given(hours, st.integers(-500, 3_000), st.sampled_from([1, 15]))
def test_no_height_leads_out_of_the_day(hours: HoursGeometry, y: int, step: int) -> None:
    assert 0 <= hours.minute_at(y, step) < MINUTES_PER_DAY


@given(hours, nearby)
def test_from_any_day_on_whole_columns_fill_the_view(hours: HoursGeometry, day: int) -> None:
    left = hours.cell(day).x
    assert hours.cell(day + hours.columns).x - left == hours.width
    shown = list(hours.days_in(Box(left, 0, hours.width, 100)))
    assert shown == list(range(day, day + hours.columns))


@given(hours, nearby, st.integers(-2_000, 2_000))
def test_the_nearest_day_begins_at_most_half_a_column_away(hours: HoursGeometry, day: int, by: int) -> None:
    x = hours.cell(day).x + by
    found = hours.cell(hours.nearest_day(x))
    assert abs(found.x - x) <= found.width // 2 + 1


@given(widths, st.sampled_from([1, 7]), st.sampled_from([1.0, 1.25, 1.5, 2.0]))
def test_no_column_of_hours_is_too_narrow_for_a_time(width: int, columns: int, scale: float) -> None:
    geometry = hours_geometry(width, columns, ANCHOR, scale)
    assert 1 <= geometry.columns <= columns
    assert geometry.columns == 1 or geometry.cell(ANCHOR).width >= int(52 * scale)


@given(plain, nearby)
def test_from_any_week_on_whole_rows_fill_the_view(month: MonthGeometry, day: int) -> None:
    assert month.cell(day + 7 * month.rows).y - month.cell(day).y == month.height


TODAY = date(2026, 11, 22).toordinal()
FIRST = date(2026, 10, 26).toordinal()


def heights(month: MonthGeometry, weeks: int) -> list[int]:
    return [month.cell(FIRST + 7 * number).height for number in range(weeks)]


def test_past_weeks_of_this_month_are_as_high_as_they_need_and_the_others_share_the_rest() -> None:
    usual = month_geometry(1_000, 750, TODAY)
    third = date(2026, 11, 3).toordinal()
    month = fit_past_weeks(usual, TODAY, 1, lambda day, _most: 90 if day == third else 27)
    assert heights(month, 6) == [52, 90, 52, 185, 185, 186]


def test_without_room_for_all_past_weeks_the_earliest_are_as_high_as_usual() -> None:
    month = fit_past_weeks(month_geometry(620, 500, TODAY, 2), TODAY, 2, lambda _day, _most: 60)
    assert heights(month, 5) == [250, 104, 104, 292, 250]


@pytest.mark.parametrize(("needed", "height"), [(150, 150), (151, 151), (172, 172), (173, 150), (4_000, 150)])
def test_a_past_week_is_higher_than_usual_by_a_line_at_most(needed: int, height: int) -> None:
    usual = month_geometry(1_000, 750, TODAY)
    month = fit_past_weeks(usual, date(2026, 11, 3).toordinal(), 1, lambda _day, most: min(needed, most))
    assert heights(month, 1) == [height]
    assert sum(month.fitted) == 750


@given(
    st.integers(120, 1_000), st.integers(TODAY - 60, TODAY + 60), st.sampled_from([1.0, 1.5, 2.0]), st.data()
)
def test_in_a_small_view_the_week_of_today_is_as_high_as_usual(
    height: int, today: int, scale: float, data: st.DataObject
) -> None:
    usual = month_geometry(620, height, today, scale)
    month = fit_past_weeks(usual, today, scale, lambda _day, _most: data.draw(st.integers(27, 900)))
    assert month.cell(today).height >= usual.height // usual.rows
    assert sum(month.fitted) in {0, usual.height}


def test_on_the_first_days_of_a_month_no_week_is_past() -> None:
    usual = month_geometry(1_000, 750, TODAY)
    assert fit_past_weeks(usual, date(2026, 11, 1).toordinal(), 1, lambda _day, _most: 60) == usual


def test_weeks_of_other_months_are_as_high_as_ever() -> None:
    usual = month_geometry(1_000, 750, TODAY)
    month = fit_past_weeks(usual, TODAY, 1, lambda _day, _most: 60)
    for day in (FIRST - 7, FIRST - 700, FIRST + 70, FIRST + 700):
        assert month.cell(day).height == 150


def _overlaps(cell: Box, top: int, height: int) -> bool:
    return cell.y < top + height and top < cell.y + cell.height
