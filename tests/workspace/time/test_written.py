"""Written dates and times of day: what they mean, and in which order day and month can be."""

import calendar
from datetime import date

import pytest

from app.workspace.time.written import (
    TABLE_MONTHS,
    DayOrder,
    WrittenClock,
    WrittenDate,
    find_date,
    order_of,
    read_clock,
)

HOUR_MS = 3_600_000


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("12/5/2026", None),
        ("5/12/2026", None),
        ("12.12.", None),
        ("13.12.2026", DayOrder.DAY_FIRST),
        ("12/13/2026", DayOrder.MONTH_FIRST),
        ("13/13/2026", None),
        ("2026-11-21", None),
        ("Monday", None),
    ],
)
def test_only_a_number_beyond_12_tells_the_order_of_a_date(text: str, order: DayOrder | None) -> None:
    assert order_of(text) is order


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026-11-05", WrittenDate(2026, 11, 5, 10, "-")),
        ("5/11/26", WrittenDate(2026, 11, 5, 7, "/")),
        ("5.11.", WrittenDate(None, 11, 5, 5, ".")),
        ("11/25/2026", WrittenDate(2026, 11, 25, 10, "/")),
        ("5 November 2026", WrittenDate(2026, 11, 5, 15)),
        ("Nov 5", WrittenDate(None, 11, 5, 5)),
        ("5 words", None),
    ],
)
def test_a_date_is_found_at_the_start_of_a_text(text: str, written: WrittenDate | None) -> None:
    assert find_date(text, DayOrder.DAY_FIRST) == written


@pytest.mark.parametrize(
    ("text", "month", "day"), [("5/11/2026", 5, 11), ("25/11/2026", 11, 25), ("11/25/2026", 11, 25)]
)
def test_a_month_may_come_first(text: str, month: int, day: int) -> None:
    assert find_date(text, DayOrder.MONTH_FIRST) == WrittenDate(2026, month, day, len(text), "/")


@pytest.mark.parametrize("month", range(1, 13))
def test_every_month_has_a_full_and_a_short_name(month: int) -> None:
    for name in (calendar.month_name[month], calendar.month_abbr[month], calendar.month_name[month].upper()):
        found = find_date(f"5 {name}", DayOrder.DAY_FIRST)
        assert found is not None
        assert (found.month, found.day) == (month, 5)


@pytest.mark.parametrize(
    ("name", "month"),
    [("Jänner", 1), ("März", 3), ("Mrz", 3), ("Mai", 5), ("Sept", 9), ("Okt", 10), ("Dez", 12)],
)
def test_a_table_may_have_german_months(name: str, month: int) -> None:
    assert find_date(f"5. {name} 2026", DayOrder.DAY_FIRST, TABLE_MONTHS) == WrittenDate(
        2026, month, 5, len(f"5. {name} 2026")
    )


@pytest.mark.parametrize(
    ("written", "today", "nearest"),
    [
        (WrittenDate(None, 1, 5, 0), date(2026, 11, 21), date(2027, 1, 5)),
        (WrittenDate(None, 11, 5, 0), date(2026, 1, 21), date(2025, 11, 5)),
        (WrittenDate(2020, 1, 5, 0), date(2026, 11, 21), date(2020, 1, 5)),
        (WrittenDate(None, 2, 29, 0), date(2097, 3, 1), date(2096, 2, 29)),
        (WrittenDate(None, 2, 29, 0), date(2098, 3, 1), date(2104, 2, 29)),
        (WrittenDate(2026, 2, 29, 0), date(2026, 11, 21), None),
    ],
)
def test_a_date_without_a_year_is_the_nearest(
    written: WrittenDate, today: date, nearest: date | None
) -> None:
    assert written.nearest(today) == nearest


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("9", WrittenClock(540, 0, None, "", "")),
        ("09:05:07.25", WrittenClock(545, 7_250, None, ":", "")),
        ("12 am", WrittenClock(0, 0, None, "", "am")),
        ("12:30 p.m.", WrittenClock(750, 0, None, ":", "p.m.")),
        ("9.05 Uhr", WrittenClock(545, 0, None, ".", "Uhr")),
        ("23:59:59", WrittenClock(1_439, 59_000, None, ":", "")),
        ("11 PM", WrittenClock(1_380, 0, None, "", "PM")),
        ("9:05Z", WrittenClock(545, 0, 0, ":", "")),
        ("9:05 UTC", WrittenClock(545, 0, 0, ":", "")),
        ("9:05+01:30", WrittenClock(545, 0, HOUR_MS * 3 // 2, ":", "")),
        ("9:05-02", WrittenClock(545, 0, -2 * HOUR_MS, ":", "")),
        ("24:00", None),
        ("9:60", None),
        ("13 pm", None),
        ("9:05 and more", None),
    ],
)
def test_a_time_of_day_is_read_whole(text: str, clock: WrittenClock | None) -> None:
    assert read_clock(text) == clock
