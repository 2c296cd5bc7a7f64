"""What readings say of days and months: laws, and the cases that people meet."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import SubscriptionStatus
from app.contract.usage import Storage, Usage
from app.workspace.clock import to_millis
from app.workspace.time.wall import DAY_MS
from app.workspace.usage import (
    DayCalls,
    Reading,
    calls_at_end,
    calls_by_day,
    growth,
    period_of,
)

LISBON = ZoneInfo("Europe/Lisbon")
GB = 10**9
HOUR_MS = 3_600_000


def at(day: int, hour: int = 0) -> int:
    """An hour in November in Lisbon, where there is no distance from UTC then."""
    return to_millis(datetime(2026, 11, day, hour, tzinfo=UTC))


def readings(*told: tuple[int, int]) -> list[Reading]:
    return [Reading(moment, calls, 0) for moment, calls in told]


def calls(found: list[DayCalls]) -> list[int | None]:
    return [day.calls for day in found]


def test_what_lies_between_two_readings_is_spread_over_its_days() -> None:
    told = readings((at(1), 0), (at(2), 30), (at(2, 12), 40), (at(3, 12), 64))
    days = calls_by_day(told, LISBON, date(2026, 11, 1), date(2026, 11, 3))
    assert calls(days) == [30, 22, 12]
    assert [day.so_far for day in days] == [False, False, True]


def test_a_counter_that_begins_again_is_no_step_back() -> None:
    told = readings((at(1), 500), (at(1, 23), 523), (at(2), 4), (at(3), 10))
    assert calls(calls_by_day(told, LISBON, date(2026, 11, 1), date(2026, 11, 2))) == [27, 6]


def test_days_that_nobody_read_are_not_known() -> None:
    told = readings((at(1, 6), 0), (at(2), 10), (at(6), 90), (at(7), 100))
    days = calls_by_day(told, LISBON, date(2026, 11, 1), date(2026, 11, 8))
    assert calls(days) == [None, None, None, None, None, 10, None, None]


def test_where_nothing_was_counted_no_day_has_calls() -> None:
    told = readings((at(1), 10), (at(5), 10))
    days = calls_by_day(told, LISBON, date(2026, 11, 1), date(2026, 11, 6))
    assert calls(days) == [0, 0, 0, 0, None, None]


def test_a_day_of_25_hours_is_whole_only_with_all_of_them() -> None:
    night = to_millis(datetime(2026, 10, 25, tzinfo=LISBON))
    hours = [Reading(night + hour * HOUR_MS, hour, 0) for hour in range(26)]
    last = date(2026, 10, 26)
    assert calls(calls_by_day(hours, LISBON, date(2026, 10, 25), last)) == [25, None]
    assert calls(calls_by_day(hours[:-1], LISBON, date(2026, 10, 25), last)) == [None, None]


@given(st.lists(st.tuples(st.integers(1, 30 * HOUR_MS), st.integers(0, 500)), min_size=1, max_size=40))
def test_no_call_is_lost_or_invented(steps: list[tuple[int, int]]) -> None:
    """Where every time between readings is short, the days add up to what was counted."""
    moment, count = at(1), 0
    told = [Reading(moment, count, 0)]
    for pause, more in steps:
        moment, count = moment + pause, count + more
        told.append(Reading(moment, count, 0))
    today = datetime.fromtimestamp(moment / 1_000, LISBON).date()
    days = calls_by_day(told, LISBON, date(2026, 11, 1), today)
    assert all(day.calls is not None for day in days[:-1])
    found = sum(day.calls or 0 for day in days)
    assert abs(found - count) <= len(days) / 2 + 1  # each day is rounded


def test_the_end_of_the_period_goes_by_the_last_week() -> None:
    days = [DayCalls(date(2026, 11, day), 100) for day in range(1, 11)]
    days.append(DayCalls(date(2026, 11, 11), 40, so_far=True))
    # 1,040 so far, 60 more today, and nineteen days of a hundred
    assert calls_at_end(days, 1_040, date(2026, 11, 11), date(2026, 11, 30)) == 3_000


def test_too_few_days_say_nothing_of_the_end() -> None:
    days = [DayCalls(date(2026, 11, day), 100 if day > 8 else None) for day in range(1, 11)]
    assert calls_at_end(days, 200, date(2026, 11, 11), date(2026, 11, 30)) is None
    assert calls_at_end([], 0, date(2026, 11, 11), date(2026, 11, 30)) is None


def stored(*sizes: float) -> list[Reading]:
    """Gigabytes, one reading a day from the first of November on."""
    return [Reading(at(1) + number * DAY_MS, 0, round(size * GB)) for number, size in enumerate(sizes)]


def test_storage_that_grows_evenly_is_full_when_the_line_says_so() -> None:
    found = growth(stored(*range(1, 11)), 20 * GB, at(10))
    assert found is not None
    assert found.full_on == date(2026, 11, 20)
    assert found.bytes_a_month == pytest.approx(30.44 * GB)


@pytest.mark.parametrize(
    "sizes", [(5.0,) * 10, (9, 8, 7, 6, 5, 4, 3, 2), (1, *(1 + 0.001 * day for day in range(9)))]
)
def test_storage_that_hardly_grows_has_no_end(sizes: tuple[float, ...]) -> None:
    found = growth(stored(*sizes), 50 * GB, at(10))
    assert found is not None
    assert found.full_on is None


def test_a_few_days_say_nothing_of_the_storage() -> None:
    assert growth([], GB, at(10)) is None
    assert growth(stored(1, 2, 3, 4, 5, 6), 9 * GB, at(10)) is None
    hours = [Reading(at(1) + hour * HOUR_MS, 0, hour * GB) for hour in range(48)]
    assert growth(hours, 99 * GB, at(10)) is None


def usage(ends: datetime | None, period: str = "month") -> Usage:
    storage = Storage(used_bytes=0, cap_bytes=1, used_human="", cap_human="")
    told = {"plan": "creator", "status": SubscriptionStatus.ACTIVE, "current_period_end": ends}
    return Usage.model_validate(told | {"period": period, "actions": {}, "storage": storage})


def test_a_period_is_a_month_that_ends_as_the_service_says() -> None:
    now = datetime(2026, 11, 21, 9, tzinfo=UTC)
    first, last = date(2026, 11, 1), date(2026, 11, 30)
    assert period_of(usage(None), now) == (first, last)
    assert period_of(usage(datetime(2026, 12, 1, tzinfo=UTC)), now) == (first, last)
    assert period_of(usage(datetime(2026, 12, 15, 10, tzinfo=UTC)), now) == (
        date(2026, 11, 15),
        date(2026, 12, 15),
    )


def test_what_no_month_can_be_is_no_period() -> None:
    now = datetime(2026, 11, 21, 9, tzinfo=UTC)
    assert period_of(usage(None, "fortnight"), now) is None
    assert period_of(usage(now - timedelta(days=1)), now) is None
    assert period_of(usage(now + timedelta(days=300)), now) is None
