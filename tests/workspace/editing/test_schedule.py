"""When posts are scheduled for, in any zone: times that clocks skip, and those that they show twice."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.workspace.clock import to_millis
from app.workspace.editing.schedule import (
    PAST,
    Schedule,
    in_zone,
    next_valid,
    readings,
    suggested,
    zone_named,
)

LISBON = ZoneInfo("Europe/Lisbon")
ZONES = st.sampled_from(
    ["Europe/Lisbon", "America/New_York", "Asia/Tokyo", "Australia/Lord_Howe", "Pacific/Apia"]
)
EVERY_ZONE = st.sampled_from(sorted(available_timezones())).map(ZoneInfo)
MOMENTS = st.datetimes(datetime.fromisoformat("2005-01-01"), datetime.fromisoformat("2035-01-01"))


@given(MOMENTS, ZONES)
def test_every_instant_is_found_again_from_what_the_clocks_show(moment: datetime, name: str) -> None:
    zone = ZoneInfo(name)
    there = moment.replace(microsecond=0, tzinfo=UTC).astimezone(zone)
    found = readings(there.replace(tzinfo=None, fold=0), zone)
    assert to_millis(there) in [to_millis(one) for one in found]
    assert 1 <= len(found) <= 2


@given(MOMENTS, ZONES)
def test_the_next_valid_time_exists_and_is_not_before(local: datetime, name: str) -> None:
    zone = ZoneInfo(name)
    local = local.replace(second=0, microsecond=0)
    following = next_valid(local, zone)
    assert following >= local
    assert readings(following, zone)
    if readings(local, zone):
        assert following == local


def test_a_skipped_hour_has_no_reading_and_the_next_is_its_end() -> None:
    assert readings(datetime.fromisoformat("2027-03-28T01:30"), LISBON) == ()
    assert next_valid(datetime.fromisoformat("2027-03-28T01:30"), LISBON) == datetime.fromisoformat(
        "2027-03-28T02:00"
    )


def test_a_repeated_hour_has_two_readings_an_hour_apart() -> None:
    first, second = readings(datetime.fromisoformat("2027-10-31T01:30"), LISBON)
    assert to_millis(second) - to_millis(first) == 3_600_000
    assert (first.utcoffset(), second.utcoffset()) == (timedelta(hours=1), timedelta(0))


@pytest.mark.parametrize("fold", [0, 1])
def test_seconds_do_not_move_a_time_into_the_other_repeated_hour(fold: int) -> None:
    at = to_millis(datetime(2026, 10, 25, 1, 30, 20, tzinfo=LISBON, fold=fold))
    assert Schedule.of(at, LISBON).at == at - 20_000


def test_a_skipped_day_is_left_behind() -> None:
    apia = ZoneInfo("Pacific/Apia")
    assert readings(datetime.fromisoformat("2011-12-30T12:00"), apia) == ()
    assert next_valid(datetime.fromisoformat("2011-12-30T12:00"), apia) == datetime.fromisoformat(
        "2011-12-31T00:00"
    )


@given(st.datetimes(datetime.fromisoformat("2020-01-01"), datetime.fromisoformat("2035-12-31")), EVERY_ZONE)
@example(datetime.fromisoformat("2027-10-30T23:50"), LISBON)  # in between lies an hour that comes twice
def test_the_suggested_time_lies_ahead_in_every_zone(moment: datetime, zone: ZoneInfo) -> None:
    now = to_millis(moment.replace(tzinfo=UTC))
    assert 30 * 60_000 < suggested(now, zone) - now <= 90 * 60_000


@pytest.mark.parametrize(("minute", "hour"), [(0, 11), (29, 11), (30, 12), (59, 12)])
def test_the_suggested_time_is_a_full_hour_at_least_half_an_hour_ahead(minute: int, hour: int) -> None:
    now = to_millis(datetime(2026, 11, 21, 10, minute, tzinfo=LISBON))
    moment = in_zone(suggested(now, LISBON), LISBON)
    assert (moment.hour, moment.minute) == (hour, 0)


@given(MOMENTS, EVERY_ZONE)
@example(datetime.fromisoformat("2027-10-31T00:30"), LISBON)
@example(datetime.fromisoformat("2027-10-31T01:30"), LISBON)
def test_a_schedule_means_the_instant_that_it_was_made_of(moment: datetime, zone: ZoneInfo) -> None:
    at = to_millis(moment.replace(second=0, microsecond=0, tzinfo=UTC))
    schedule = Schedule.of(at, zone)
    # Zones whose offset had seconds, long ago, show an instant at no whole minute.
    if in_zone(at, zone).second == 0:
        assert schedule.at == at
        assert schedule.problem(at - 1) == ""
    assert Schedule.of(at + 59_999, zone).local.second == 0


@given(MOMENTS, ZONES)
def test_a_skipped_time_is_a_problem_and_the_next_valid_one_is_not(local: datetime, name: str) -> None:
    schedule = Schedule(local.replace(second=0, microsecond=0), ZoneInfo(name))
    assert (schedule.at is None) == bool(schedule.problem(0))
    assert schedule.moved_to_valid().problem(0) == ""


def test_what_stands_in_the_way_of_a_time_is_said() -> None:
    skipped = Schedule(datetime.fromisoformat("2027-03-28T01:30"), LISBON)
    assert skipped.problem(0) == ("The clocks go forward: 01:30 doesn't exist on Sun 28 Mar in Lisbon.")
    noon = Schedule(datetime.fromisoformat("2027-03-28T12:00"), LISBON)
    assert noon.at is not None
    assert (noon.problem(noon.at), noon.problem(noon.at - 1)) == (PAST, "")
    assert Schedule(noon.local, LISBON, misread="No day.").problem(0) == "No day."


def test_an_unknown_zone_gives_way_to_another() -> None:
    assert zone_named("Asia/Tokyo", LISBON).key == "Asia/Tokyo"
    assert {zone_named(name, LISBON) for name in ("", "Nowhere/At all", "../etc", "\0")} == {LISBON}
