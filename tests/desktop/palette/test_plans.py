"""Posts that somebody types with their time."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.desktop.calendar.days import LocalDays
from app.desktop.palette.plans import Plan, planned_time, read_plan
from app.workspace.clock import from_millis

TODAY = date(2026, 11, 21)  # a Saturday
FRIDAY = date(2026, 11, 27)
SONG = "Our new song"


@pytest.mark.parametrize(
    ("typed", "plan"),
    [
        ("friday 15:00 Our new song", Plan(SONG, FRIDAY, 900)),
        ("Fri 15:00 Our new song", Plan(SONG, FRIDAY, 900)),
        ("fr 15:00 Our new song", Plan(SONG, FRIDAY, 900)),
        ("on friday at 3 pm: Our new song", Plan(SONG, FRIDAY, 900)),
        ("Our new song on Friday at 15", Plan(SONG, FRIDAY, 900)),
        ("Our new song, 9:30 tomorrow", Plan(SONG, date(2026, 11, 22), 570)),
        ("Friday Our new song 15:00", Plan(SONG, FRIDAY, 900)),
        ("15:00 - Our new song", Plan(SONG, None, 900)),
        ("Our new song @18", Plan(SONG, None, 1080)),
        ("friday -20 % on coats: today only!", Plan("-20 % on coats: today only!", FRIDAY)),
        ("Questions: -- tomorrow", Plan("Questions:", date(2026, 11, 22))),
        ("24.12. Our new song", Plan(SONG, date(2026, 12, 24))),
        ("3 March 12 am Our new song", Plan(SONG, date(2027, 3, 3), 0)),
        ("Our new song 12pm 3 March 2028", Plan(SONG, date(2028, 3, 3), 720)),
        ("2027-03-03 9h Our new song", Plan(SONG, date(2027, 3, 3), 540)),
        ("next friday 23:59 Our new song", Plan(SONG, FRIDAY, 1439)),
        ("tomorrow Top 10 of 2026", Plan("Top 10 of 2026", date(2026, 11, 22))),
    ],
)
def test_a_time_is_read_before_or_behind_a_text(typed: str, plan: Plan) -> None:
    assert read_plan(typed, TODAY) == plan


@pytest.mark.parametrize(
    "typed",
    [
        *("", "friday", "friday 15:00", "at 9", "new post", "sun is shining", "may we begin", "2027 goals"),
        *("25:00 hello", "13 pm hello", "10 things", "12:60 hello", "march news", "see us at noon"),
    ],
)
def test_other_words_are_no_plan(typed: str) -> None:
    assert read_plan(typed, TODAY) is None


@given(st.text(), st.dates(date(1970, 1, 1), date(2200, 1, 1)))
def test_whatever_is_typed_is_a_plan_or_none(typed: str, today: date) -> None:
    plan = read_plan(typed, today)
    if plan is not None:
        assert plan.text in " ".join(typed.split())
        assert plan.minute is None or 0 <= plan.minute < 1440


WORDS = st.sampled_from(
    [
        "-",
        "@",
        "at",
        "on",
        "am",
        "friday",
        "fr",
        "31.12.9999",
        "9999-12-31",
        "1.1.0001",
        "99:99",
        "23:59",
        "song",
    ]
)


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12", "Europe/Lisbon"])
@given(st.lists(WORDS, max_size=6))
def test_whenever_is_meant_it_is_to_come_or_nothing(zone: str, words: list[str]) -> None:
    plan, now = read_plan(" ".join(words), TODAY), 1_795_000_000_000
    at = planned_time(LocalDays(ZoneInfo(zone)), now, plan) if plan is not None else None
    assert at is None or datetime.fromtimestamp(at / 1_000, ZoneInfo(zone)) > from_millis(now)


@given(st.integers(0, 23), st.integers(0, 59), st.dates(date(2026, 1, 1), date(2100, 1, 1)))
def test_a_day_and_a_clock_are_those_that_were_typed(hour: int, minute: int, day: date) -> None:
    typed = f"{hour}:{minute:02} {day.isoformat()}"
    wanted = Plan(SONG, day, hour * 60 + minute)
    assert read_plan(f"{typed} {SONG}", TODAY) == read_plan(f"{SONG} {typed}", TODAY) == wanted
