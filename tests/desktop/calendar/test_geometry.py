from datetime import date
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.desktop.calendar.days import MINUTES_PER_DAY, monday_of
from app.desktop.calendar.geometry import MonthGeometry, WeekGeometry
from app.desktop.calendar.placement import Box

ANCHOR = date(2026, 11, 21).toordinal()
widths = st.integers(70, 3_000)
months = st.builds(MonthGeometry, widths, st.integers(360, 2_400), st.integers(5, 6), st.just(ANCHOR))
weeks = st.builds(WeekGeometry, widths, st.just(monday_of(ANCHOR)))
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
    shown = set(month.days_between(top, top + height))
    around = range(min(shown) - 14, max(shown) + 15)
    seen = {other for other in around if _overlaps(month.cell(other), top, height)}
    assert shown == seen


@given(months)
def test_outside_the_canvas_is_no_day(month: MonthGeometry) -> None:
    assert month.day_at(-1, 0) is None
    assert month.day_at(month.width, 0) is None
    assert month.day_at(0, -1) is None
    assert month.day_at(0, month.content_height) is None


@given(weeks, st.integers(0, 6), st.integers(0, MINUTES_PER_DAY - 15), st.sampled_from([1, 15]))
def test_a_point_of_the_week_tells_day_and_minute(
    week: WeekGeometry, column: int, minute: int, step: int
) -> None:
    day = week.monday + column
    cell = week.cell(day)
    height = week.y_of(minute)
    assert week.day_at(cell.x, min(height, week.content_height - 1)) == day
    snapped = week.minute_at(height, step)
    assert snapped % step == 0
    assert abs(snapped - minute) <= step / 2 + 1  # a minute is less than a pixel


@given(weeks, st.integers(-500, 3_000), st.sampled_from([1, 15]))
def test_no_height_leads_out_of_the_day(week: WeekGeometry, y: int, step: int) -> None:
    assert 0 <= week.minute_at(y, step) < MINUTES_PER_DAY


@given(months, nearby)
def test_from_any_week_on_whole_rows_fill_the_view(month: MonthGeometry, day: int) -> None:
    assert month.cell(day + 7 * month.rows).y - month.cell(day).y == month.height


def _overlaps(cell: Box, top: int, height: int) -> bool:
    return cell.y < top + height and top < cell.y + cell.height
