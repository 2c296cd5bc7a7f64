"""Written dates and times of day: what they mean, and in which order day and month can be."""

import calendar
from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.language import month_name, month_short, use
from app.workspace.time.written import (
    TABLE_MONTHS,
    DayOrder,
    WrittenClock,
    WrittenDate,
    day_of,
    find_date,
    months_by_name,
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
        ("13.1.2026", DayOrder.DAY_FIRST),
        ("1/13/2026", DayOrder.MONTH_FIRST),
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


DAYS = st.dates(date(1000, 1, 1), date(9999, 12, 31))
SIGNS = st.sampled_from("-/.")
RESTS = st.sampled_from(["", " 9:00", " 10:00", " 10.30", "T09:00", ", words"])
ORDINALS = st.sampled_from(["", ".", "st", "nd", "rd", "th"])  # codespell:ignore nd


@given(DAYS, SIGNS, RESTS, st.sampled_from(DayOrder), st.booleans())
def test_a_date_in_numbers_brings_its_day_back(
    day: date, sign: str, rest: str, order: DayOrder, is_padded: bool
) -> None:
    """With any sign, with and without zeros, and whatever follows."""
    width = "02" if is_padded else ""
    numbers = [f"{day.day:{width}}", f"{day.month:{width}}"]
    if order is DayOrder.MONTH_FIRST:
        numbers.reverse()
    year_first = sign.join([f"{day.year}", f"{day.month:{width}}", f"{day.day:{width}}"])
    two_digits = sign.join([*numbers, f"{day.year % 100:02}"])
    without_year = f"{sign.join(numbers)}{sign if sign == '.' else ''}"
    for text, year in (
        (year_first, day.year),
        (sign.join([*numbers, f"{day.year}"]), day.year),
        (f"{sign} ".join([*numbers, f"{day.year}"]), day.year),
        (two_digits, 2_000 + day.year % 100),
        (without_year, None),
    ):
        expected = WrittenDate(year, day.month, day.day, len(text), sign)
        assert find_date(text + rest, order) == expected


@given(DAYS, ORDINALS, st.sampled_from(["", " 9:00"]), st.booleans())
def test_a_date_with_a_months_name_brings_its_day_back(
    day: date, ordinal: str, rest: str, is_short: bool
) -> None:
    name = (calendar.month_abbr if is_short else calendar.month_name)[day.month]
    for begin in (f"{day.day}{ordinal} {name}", f"{day.day}-{name}", f"{name} {day.day}"):
        for text, year in ((f"{begin} {day.year}", day.year), (begin, None)):
            found = find_date(text + rest, DayOrder.DAY_FIRST)
            assert found == WrittenDate(year, day.month, day.day, len(text))


@pytest.mark.parametrize("text", ["words 5", "5", "", "2026-11/05", "2026-11", "May", "123 May"])
def test_what_is_no_date_is_none(text: str) -> None:
    assert find_date(text, DayOrder.DAY_FIRST) is None


def test_months_are_known_in_english_and_in_the_apps_language() -> None:
    firsts = [date(2000, number, 1) for number in range(1, 13)]
    use("de")
    try:
        months = months_by_name()
        german = [(month_name(first), month_short(first).rstrip(".")) for first in firsts]
    finally:
        use("en")
    english = months_by_name()
    assert english["sept"] == 9
    assert german[4] == ("Mai", "Mai")
    for number in range(1, 13):
        for name in (calendar.month_name[number], calendar.month_abbr[number]):
            assert months[name.lower()] == english[name.lower()] == number
        for name in german[number - 1]:
            assert months[name.lower()] == number
    assert len(english) == 24
    assert months.keys() - english.keys() <= {name.lower() for names in german for name in names}


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


@given(st.dates(date(1900, 1, 1), date(2100, 12, 31)), st.dates(date(1904, 1, 1), date(2096, 12, 31)))
@example(date(2096, 2, 29), date(2097, 3, 1))
@example(date(2104, 2, 29), date(2102, 3, 1))
@example(date(1896, 2, 29), date(1904, 2, 28))
def test_no_year_is_nearer_than_the_nearest(day: date, today: date) -> None:
    """Of years that have passed, only the last one counts."""
    years = range(today.year - 1, today.year + 12)
    days = [found for year in years if (found := day_of(year, day.month, day.day))]
    assert WrittenDate(None, day.month, day.day, 0).nearest(today) == min(
        days, key=lambda one: (abs(one - today), one)
    )


CLOCKS = st.tuples(st.integers(0, 23), st.integers(0, 59), st.integers(0, 59), st.integers(0, 999))


@given(CLOCKS, st.sampled_from([":", ".", "h"]), st.integers(-14 * 60, 14 * 60))
def test_a_clock_brings_its_time_back(clock: tuple[int, int, int, int], mark: str, offset: int) -> None:
    hour, minute, second, part = clock
    sign, away = "+" if offset >= 0 else "-", abs(offset)
    short = f"{hour}{mark}{minute:02}"
    long = f"{hour:02}{mark}{minute:02}:{second:02}"
    minutes, offset_ms = hour * 60 + minute, offset * 60_000
    half = "am" if hour < 12 else "p.m."
    twelve = f"{hour % 12 or 12}{mark}{minute:02}"
    for text, expected in (
        (short, WrittenClock(minutes, 0, None, mark, "")),
        (long, WrittenClock(minutes, second * 1_000, None, mark, "")),
        (f"{long}.{part:03}", WrittenClock(minutes, second * 1_000 + part, None, mark, "")),
        (f"{long},{part:03}999", WrittenClock(minutes, second * 1_000 + part, None, mark, "")),
        (f"{twelve} {half}", WrittenClock(minutes, 0, None, mark, half)),
        (f"{short} Uhr", WrittenClock(minutes, 0, None, mark, "Uhr")),
        (f"{hour} h", WrittenClock(hour * 60, 0, None, "", "h")),
        (f"{short}{sign}{away // 60:02}:{away % 60:02}", WrittenClock(minutes, 0, offset_ms, mark, "")),
        (f"{short}{sign}{away // 60:02}{away % 60:02}", WrittenClock(minutes, 0, offset_ms, mark, "")),
        (f"{short} GMT", WrittenClock(minutes, 0, 0, mark, "")),
        (f"{short}z", WrittenClock(minutes, 0, 0, mark, "")),
    ):
        assert read_clock(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "24",
        "24:00",
        "23:60",
        "9:60",
        "9:05:60",
        "0 am",
        "0:30 pm",
        "13 am",
        "13 pm",
        "words",
        "9:5",
        "Uhr",
    ],
)
def test_what_is_no_time_of_day_is_none(text: str) -> None:
    assert read_clock(text) is None


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("9:05:07.2", WrittenClock(545, 7_200, None, ":", "")),
        ("9:05 \u221202", WrittenClock(545, 0, -2 * HOUR_MS, ":", "")),
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
