from datetime import date
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.desktop.calendar.geometry import HoursGeometry, MonthGeometry, hours_geometry
from app.desktop.calendar.placement import Box
from app.workspace.time.wall import MINUTES_PER_DAY, monday_of

ANCHOR = date(2026, 11, 21).toordinal()
widths = st.integers(70, 3_000)
months = st.builds(MonthGeometry, widths, st.integers(360, 2_400), st.integers(5, 6), st.just(ANCHOR))
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


@given(months, nearby)
def test_from_any_week_on_whole_rows_fill_the_view(month: MonthGeometry, day: int) -> None:
    assert month.cell(day + 7 * month.rows).y - month.cell(day).y == month.height


def _overlaps(cell: Box, top: int, height: int) -> bool:
    return cell.y < top + height and top < cell.y + cell.height
