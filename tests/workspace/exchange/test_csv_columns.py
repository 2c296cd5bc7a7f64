"""The meaning of columns, and dates and times as users and programs write them."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.workspace.clock import to_millis
from app.workspace.exchange.csv_cells import Instants
from app.workspace.exchange.csv_columns import (
    Column,
    UnreadableError,
    guess,
    header_id,
    looks_like_time,
    order_in,
    read_time,
)
from app.workspace.exchange.csv_table import read_table
from app.workspace.time.written import DayOrder

DAY, MONTH = DayOrder.DAY_FIRST, DayOrder.MONTH_FIRST
NOVEMBER = date(2026, 11, 25)
OFFSETS = st.integers(-12 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2099, 1, 1), timezones=OFFSETS)  # noqa: DTZ001


def test_rows_that_were_given_back_are_understood_like_the_table_they_came_from() -> None:
    assert header_id(["Words", "Day", "Result", "Reason"]) == header_id(["words", "day"])
    assert header_id(["Reason", "Day"]) != header_id(["Day"])


def test_why_a_row_was_not_planned_is_never_taken_for_its_text() -> None:
    why = "a reason that is a good deal longer than the text of the row"
    table = read_table(f"words,day,Result,Reason\nOne,2026-12-01,not planned,{why}\n".encode())
    assert guess(table, "UTC").columns[Column.TEXT] == 0


@pytest.mark.parametrize(
    ("cell", "time", "order", "minute"),
    [
        ("2026-11-25", "14:30", DAY, 870),
        ("2026-11-25 14:30", "", MONTH, 870),
        ("2026/11/25 14:30:00", "", DAY, 870),
        ("2026-11-25T14:30", "", DAY, 870),
        ("25.11.2026", "14.30 Uhr", DAY, 870),
        ("25. 11. 2026 14h30", "", DAY, 870),
        ("25-11-26", "2:30 pm", DAY, 870),
        ("11/25/2026 2:30 PM", "", MONTH, 870),
        ("11/25/2026", "2:30p.m.", DAY, 870),  # no month is the 25th
        ("25 November 2026 14:30", "", MONTH, 870),
        ("Wed, 25 Nov 2026, 14:30", "", MONTH, 870),
        ("Mittwoch, 25. November 2026", "14:30", DAY, 870),
        ("Nov 25, 2026 14:30", "", DAY, 870),
        ("November 25th, 2026 12:00 AM", "", DAY, 0),
        ("2026-11-25 00:00:00", "12 pm", DAY, 720),
        ("2026-11-25", "", DAY, None),
    ],
)
def test_times_are_read(cell: str, time: str, order: DayOrder, minute: int | None) -> None:
    day, clock = read_time(cell, time, order)
    assert day == NOVEMBER
    assert (clock and (clock.minute, clock.offset_ms)) == (None if minute is None else (minute, None))


@pytest.mark.parametrize(
    ("cell", "time", "of_time"),
    [
        ("soon", "10:00", False),
        ("2026-02-30", "10:00", False),
        ("2026-13-01", "10:00", False),
        ("20261125", "", False),
        ("2026-11-2510:00", "", False),
        ("2026-11-25", "25:00", True),
        ("2026-11-25", "10:60", True),
        ("2026-11-25", "13:00 pm", True),
        ("2026-11-25", "10", True),
        ("2026-11-25", "noon", True),
    ],
)
def test_what_cannot_be_read_is_said_where_it_stands(cell: str, time: str, of_time: bool) -> None:
    with pytest.raises(UnreadableError) as caught:
        read_time(cell, time, DAY)
    assert caught.value.of_time is of_time


@pytest.mark.parametrize(
    ("cells", "order"),
    [
        (["03/04/2026", "13/04/2026"], DAY),
        (["03/04/2026", "04/13/2026"], MONTH),
        (["03/04/2026"], MONTH),
        (["03.04.2026"], DAY),
        (["2026-04-03", "", "soon"], DAY),
        ([], DAY),
    ],
)
def test_the_order_of_day_and_month_is_found_out(cells: list[str], order: DayOrder) -> None:
    assert order_in(cells) is order


@given(MOMENTS)
def test_instants_with_an_offset_come_back(moment: datetime) -> None:
    cut = moment.replace(microsecond=moment.microsecond // 1_000 * 1_000)
    instants = Instants("Asia/Tokyo", DAY, -(10**15), own_column=False)
    at, issues = instants.read(cut.isoformat(timespec="milliseconds"), "", "Europe/Berlin")
    assert (at, issues) == (to_millis(cut), [])


@given(st.text(max_size=30))
def test_any_cell_is_a_time_or_is_not(cell: str) -> None:
    looks_like_time(cell)
    Instants("UTC", MONTH, 0, own_column=True).read(cell, cell, cell)


def instants(day: str, time: str, zone: str = "") -> tuple[int | None, list[tuple[Column | None, bool]]]:
    reader = Instants("Europe/Berlin", DAY, to_millis(datetime(2026, 1, 1, tzinfo=UTC)), own_column=True)
    at, issues = reader.read(day, time, zone)
    return at, [(issue.column, issue.blocks) for issue in issues]


def test_zones_are_minded_and_clock_changes_said() -> None:
    assert instants("2026-11-25", "14:30") == (to_millis(datetime(2026, 11, 25, 13, 30, tzinfo=UTC)), [])
    there = instants("2026-11-25", "14:30", "asia/tokyo")
    assert there == (to_millis(datetime(2026, 11, 25, 5, 30, tzinfo=UTC)), [])
    twice = instants("2026-10-25", "02:30")
    assert twice == (to_millis(datetime(2026, 10, 25, 0, 30, tzinfo=UTC)), [(Column.TIME, False)])
    skipped = instants("2026-03-29", "02:30")
    assert skipped == (to_millis(datetime(2026, 3, 29, 1, 30, tzinfo=UTC)), [(Column.TIME, False)])


@pytest.mark.parametrize(
    ("day", "time", "zone", "column"),
    [
        ("", "14:30", "", Column.DATE),
        ("2026-11-25", "", "", Column.TIME),
        ("2026-11-25", "14:30", "Mars/Olympus", Column.ZONE),
        ("2026-11-25", "14:30", "../../etc/localtime", Column.ZONE),
        ("2025-11-25", "14:30", "", Column.DATE),
        ("9999-12-31", "23:59", "America/Los_Angeles", Column.DATE),
    ],
)
def test_each_problem_stands_in_its_cell(day: str, time: str, zone: str, column: Column) -> None:
    assert instants(day, time, zone)[1] == [(column, True)]
