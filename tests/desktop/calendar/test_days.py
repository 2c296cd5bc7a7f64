from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.desktop.calendar.days import ClockChange, LocalDays
from app.workspace.time.wall import monday_of, to_day, weekday

ZONES = ["UTC", "Europe/Lisbon", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Asia/Kathmandu"]
zones = st.sampled_from(ZONES).map(ZoneInfo)
instants = st.integers(0, 4_000_000_000_000)
ordinals = st.integers(date(1980, 1, 1).toordinal(), date(2090, 1, 1).toordinal())


def day(text: str) -> int:
    return date.fromisoformat(text).toordinal()


@given(zones, instants)
def test_a_moment_is_what_the_wall_clock_says(zone: ZoneInfo, at: int) -> None:
    local = datetime.fromtimestamp(at / 1_000, UTC).astimezone(zone)
    moment = LocalDays(zone).place(at)
    assert (moment.day, moment.minute) == (local.date().toordinal(), local.hour * 60 + local.minute)


@given(zones, instants, st.floats(0, 1, exclude_max=True))
def test_a_spell_is_one_day_from_an_instant_on(zone: ZoneInfo, at: int, share: float) -> None:
    days = LocalDays(zone)
    day, until = days.spell(at)
    assert at < until
    later = at + int((until - at) * share)
    assert days.place(at).day == days.place(later).day == days.place(until - 1).day == day


@given(zones, ordinals, st.integers(0, 1_439))
def test_instant_and_place_are_inverse_but_for_the_hour_that_is_skipped(
    zone: ZoneInfo, ordinal: int, minute: int
) -> None:
    days = LocalDays(zone)
    moment = days.place(days.instant(ordinal, minute))
    gap = 1_440 - days.length_minutes(ordinal)
    expected = (ordinal, minute) if moment.minute == minute else (ordinal, minute + gap)
    assert tuple(moment) == expected
    assert gap > 0 or moment.minute == minute


@given(zones, instants, ordinals)
def test_moving_to_a_day_and_back_loses_nothing(zone: ZoneInfo, at: int, ordinal: int) -> None:
    days = LocalDays(zone)
    there = to_day(days, at, ordinal).at
    if days.place(there).minute != days.place(at).minute:
        return  # the clock skips that time on that day
    back = to_day(days, there, days.place(at).day).at
    assert days.place(back) == days.place(at)
    assert back % 60_000 == at % 60_000


@pytest.mark.parametrize(
    ("ordinal", "minutes"),
    [(day("2026-03-29"), 1_380), (day("2026-10-25"), 1_500), (day("2026-11-21"), 1_440)],
)
def test_days_with_a_clock_change_have_another_length(ordinal: int, minutes: int) -> None:
    assert LocalDays(ZoneInfo("Europe/Lisbon")).length_minutes(ordinal) == minutes


def test_the_time_of_day_stays_over_a_clock_change() -> None:
    days = LocalDays(ZoneInfo("Europe/Lisbon"))
    winter = days.instant(day("2026-03-28"), 9 * 60)
    summer = to_day(days, winter, day("2026-03-30")).at
    assert days.place(summer) == (day("2026-03-30"), 9 * 60)
    assert summer - winter == 47 * 3_600_000


def test_weeks_begin_on_monday() -> None:
    saturday = day("2026-11-21")
    assert weekday(saturday) == 5
    assert date.fromordinal(monday_of(saturday)) == date(2026, 11, 16)
    assert monday_of(day("2026-11-16")) == day("2026-11-16")


def test_the_clock_changes_of_a_year_are_known() -> None:
    days = LocalDays(ZoneInfo("Europe/Lisbon"))
    assert days.change_on(day("2026-03-29")) == ClockChange(60, 120, twice=False)
    assert days.change_on(day("2026-10-25")) == ClockChange(60, 120, twice=True)
    assert days.change_on(day("2026-10-26")) is None


def test_half_an_hour_can_come_twice() -> None:
    days = LocalDays(ZoneInfo("Australia/Lord_Howe"))
    assert days.change_on(day("2026-04-05")) == ClockChange(90, 120, twice=True)


@given(st.integers(0, 1_499))
def test_every_minute_of_a_long_day_has_a_name_of_its_own(minute: int) -> None:
    days = LocalDays(ZoneInfo("Europe/Lisbon"))
    start = days.day(day("2026-10-25")).start
    named = [days.clock(start + number * 60_000) for number in range(1_500)]
    assert named.count(named[minute]) == 1
    assert days.comes_again(start + minute * 60_000) == (120 <= minute < 180)
