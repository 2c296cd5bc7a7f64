from datetime import date
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from app.desktop.calendar import moves
from app.desktop.calendar.days import LocalDays
from tests.desktop.calendar.memory import post

LISBON = LocalDays(ZoneInfo("Europe/Lisbon"))
SATURDAY = date(2026, 11, 21).toordinal()


def test_days_keep_the_time_of_day_over_a_clock_change() -> None:
    before = date(2026, 10, 24).toordinal()
    one = post("a", LISBON.instant(before, 9 * 60 + 20))
    there = moves.by_days(LISBON, [one], 2)["a"].at
    assert LISBON.place(there) == (before + 2, 9 * 60 + 20)
    assert there - one.at == 49 * 3_600_000


@given(st.lists(st.integers(0, 1_439), min_size=1, max_size=8), st.integers(-3_000, 3_000))
def test_a_group_keeps_its_gaps(minutes: list[int], delta: int) -> None:
    posts = [post(str(index), LISBON.instant(SATURDAY, minute)) for index, minute in enumerate(minutes)]
    times = moves.times(moves.by_minutes(LISBON, posts, delta))
    assert {times[one.key] - one.at for one in posts} == {delta * 60_000}


@given(st.integers(0, 1_439), st.sampled_from([1, -1]))
def test_the_next_slot_is_a_quarter_hour_in_that_direction(minute: int, direction: int) -> None:
    step = moves.to_next_slot(minute, direction)
    assert (minute + step) % moves.SNAP == 0
    assert 0 < step * direction <= moves.SNAP
