"""Every zone of the tz database with its clock changes from 2020 to 2035, and laws for any instant."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.workspace.clock import LAST_MOMENT
from app.workspace.posts.planned import PlannedPost
from app.workspace.time import wall
from app.workspace.time.wall import MINUTE_MS, MINUTES_PER_DAY, Reading, WallClock, monday_of, weekday

NAMES = sorted(available_timezones() - {"localtime"})
zones = st.sampled_from(NAMES).map(ZoneInfo)
instants = st.integers(0, 4_000_000_000_000)
ordinals = st.integers(date(2020, 1, 1).toordinal(), date(2035, 12, 31).toordinal())
DAY_MS = 86_400_000


def millis(year: int) -> int:
    return int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) * 1_000


def offset(zone: ZoneInfo, at: int) -> int:
    local = datetime.fromtimestamp(at / 1_000, zone)
    return (local.utcoffset() or timedelta()) // timedelta(minutes=1)


def changes(zone: ZoneInfo) -> Iterator[int]:
    """The instants from 2020 to 2035 at which the clock changes, looked for without the code under test."""
    step = 7 * DAY_MS  # no zone changes its clock and changes it back within a week
    for at in range(millis(2020), millis(2036), step):
        low, high = at, at + step
        before = offset(zone, low)
        if offset(zone, high) == before:
            continue
        while high - low > MINUTE_MS:
            middle = (low + high) // (2 * MINUTE_MS) * MINUTE_MS
            low, high = (middle, high) if offset(zone, middle) == before else (low, middle)
        yield high


def test_every_clock_change_of_every_zone() -> None:
    """Round each change, all minutes of the wall clock are placed and found again, skipped ones said so."""
    alike: set[tuple[tuple[int, int, int], ...]] = set()
    seen = 0
    for name in NAMES:
        zone = ZoneInfo(name)
        found = [(at, offset(zone, at - 1), offset(zone, at)) for at in changes(zone)]
        seen += len(found)
        if tuple(found) in alike:
            continue  # another name of a zone that was looked at
        alike.add(tuple(found))
        clock = WallClock(zone)
        for at, before, after in found:
            check_change(clock, at, before, after)
    assert seen > 3_000


def check_change(clock: WallClock, at: int, before: int, after: int) -> None:
    for minutes in range(-150, 151, 15):
        instant = at + minutes * MINUTE_MS
        local = datetime.fromtimestamp(instant / 1_000, clock.zone)
        place = clock.place(instant)
        assert place == (local.date().toordinal(), local.hour * 60 + local.minute)
        landing = clock.land(*place)
        assert instant in (landing.at, landing.other)
        assert (landing.reading is Reading.TWICE) == (landing.other is not None)
    inside = clock.place(at - MINUTE_MS) if after > before else clock.place(at)
    middle = inside.minute + abs(after - before) // 2 + (1 if after > before else 0)
    landing = clock.land(inside.day, middle)
    if after > before:
        assert (landing.reading, landing.shift) == (Reading.SKIPPED, after - before)
        assert clock.place(landing.at).minute == (middle + landing.shift) % MINUTES_PER_DAY
        assert wall.remark(clock, landing)
    else:
        assert landing.reading is Reading.TWICE
        assert landing.other == landing.at + (before - after) * MINUTE_MS
    for day in (clock.place(at - 1).day, clock.place(at).day):
        check_day(clock, day)


def check_day(clock: WallClock, day: int) -> None:
    start, end = clock.day(day)
    assert clock.place(start).day == day
    assert clock.place(start - 1).day < day
    assert clock.place(end - 1).day == day
    assert clock.place(end).day > day
    assert clock.length_minutes(day) * MINUTE_MS == end - start


@given(zones, instants)
@example(ZoneInfo("America/New_York"), -2_840_140_795_000)  # 4:56:02 behind, until 1883
def test_a_moment_is_what_the_wall_clock_says(zone: ZoneInfo, at: int) -> None:
    local = datetime.fromtimestamp(at / 1_000, UTC).astimezone(zone)
    moment = WallClock(zone).place(at)
    assert WallClock(zone).second_ms(at) // 1_000 == local.second
    assert (moment.day, moment.minute) == (local.date().toordinal(), local.hour * 60 + local.minute)


@given(zones, ordinals, st.integers(0, 1_439), st.integers(0, MINUTE_MS - 1))
def test_a_time_and_its_place_are_inverse(zone: ZoneInfo, day: int, minute: int, rest: int) -> None:
    clock = WallClock(zone)
    landing = clock.land(day, minute, rest)
    place = clock.place(landing.at)
    assert landing.at % MINUTE_MS == rest
    assert place.day * MINUTES_PER_DAY + place.minute == day * MINUTES_PER_DAY + minute + landing.shift
    assert (landing.shift != 0) == (landing.reading is Reading.SKIPPED)


@given(zones, ordinals)
def test_days_follow_each_other_without_gap_or_overlap(zone: ZoneInfo, day: int) -> None:
    clock = WallClock(zone)
    check_day(clock, day)
    assert clock.day(day).end == clock.day(day + 1).start
    week = clock.days(monday_of(day), 7)
    assert week.start <= clock.day(day).start < week.end
    assert weekday(day) == date.fromordinal(day).weekday()
    assert monday_of(day) == day - date.fromordinal(day).weekday()


def test_a_day_begins_when_the_clock_jumps_over_its_midnight() -> None:
    """In Toronto half past eleven became half past twelve, the next day."""
    clock, day = WallClock(ZoneInfo("America/Toronto")), date(1919, 3, 31).toordinal()
    jump = int(datetime(1919, 3, 31, 4, 30, tzinfo=UTC).timestamp()) * 1_000
    assert clock.day(day).start == clock.day(day - 1).end == jump
    assert clock.length_minutes(day) == 1_410
    assert clock.length_minutes(day - 1) == 1_410


@given(zones, instants)
def test_the_day_of_an_instant_is_that_of_its_place(zone: ZoneInfo, at: int) -> None:
    clock = WallClock(zone)
    assert clock.day_of(at) == WallClock(zone).place(at).day
    assert WallClock(zone).day_of(at) == clock.today(at) == clock.place(at).day
    assert clock.instant(*clock.place(at)) == clock.land(*clock.place(at)).at


@given(zones, ordinals)
def test_a_day_has_its_start_and_not_its_end(zone: ZoneInfo, day: int) -> None:
    span = WallClock(zone).day(day)
    assert span.start in span or span.start == span.end
    assert span.end not in span
    assert span.start - 1 not in span
    assert None not in span


def test_a_day_that_a_zone_left_out_has_no_length() -> None:
    """Samoa went from December 29 to 31 when it crossed the date line."""
    clock, day = WallClock(ZoneInfo("Pacific/Apia")), date(2011, 12, 30).toordinal()
    assert clock.length_minutes(day) == 0
    assert clock.length_minutes(day - 1) == clock.length_minutes(day + 1) == MINUTES_PER_DAY


class CountingZone(ZoneInfo):
    """A zone that counts how often it converts an instant, which is slow."""

    asked = 0

    def fromutc(self, dt: datetime, /) -> datetime:
        type(self).asked += 1
        return super().fromutc(dt)


def test_a_zone_is_asked_once_about_a_day_and_once_about_a_minute_near_a_clock_change() -> None:
    clock = WallClock(CountingZone.no_cache("Europe/Lisbon"))
    july, october = (int(datetime(2026, *day, tzinfo=UTC).timestamp()) * 1_000 for day in ((7, 1), (10, 25)))
    for begin, expected in ((july, 2), (october, 2 + 24)):
        CountingZone.asked = 0
        for at in range(begin, begin + DAY_MS, DAY_MS // 24):
            for _ in range(3):
                clock.place(at)
                clock.day_of(at)
        assert CountingZone.asked == expected
    clock.day(july // DAY_MS + date(1970, 1, 1).toordinal())
    CountingZone.asked = 0
    for _ in range(3):
        clock.length_minutes(july // DAY_MS + date(1970, 1, 1).toordinal())
    assert CountingZone.asked == 0


@settings(max_examples=40)
@given(st.data(), zones, st.integers(0, MINUTE_MS - 1))
def test_the_seconds_stay_where_a_time_comes_twice_or_never(
    data: st.DataObject, zone: ZoneInfo, rest: int
) -> None:
    """Around a change of the clock, which a day out of sixteen years hardly ever is."""
    near = data.draw(st.sampled_from(list(changes(zone)) or [millis(2026)]))
    at = near + data.draw(st.integers(-150, 150)) * MINUTE_MS + rest
    clock = WallClock(zone)
    landing = clock.land(*clock.place(at), rest)
    assert at in (landing.at, landing.other)
    assert landing.other is None or landing.other > landing.at
    assert clock.second_ms(at) == rest
    day, minute = clock.place(near - 1)
    landing = clock.land(day, minute + data.draw(st.integers(-150, 150)), rest)
    assert landing.at % MINUTE_MS == rest
    assert landing.other is None or landing.other % MINUTE_MS == rest


def test_a_time_that_comes_twice_keeps_its_seconds_both_times() -> None:
    clock = WallClock(ZoneInfo("Europe/Lisbon"))
    plain = clock.land(date(2026, 10, 25).toordinal(), 90)
    landing = clock.land(date(2026, 10, 25).toordinal(), 90, 20_250)
    assert plain.other is not None
    assert (landing.at, landing.other) == (plain.at + 20_250, plain.other + 20_250)


@given(zones, st.lists(instants, min_size=1, max_size=5), st.integers(-40, 40))
@example(ZoneInfo("Africa/Monrovia"), [0], 0)  # 44 minutes and a half behind, until 1972
@example(ZoneInfo("Africa/Monrovia"), [63_593_070_000 - 3_600_000], 1)
def test_a_move_by_days_keeps_every_time_of_day(zone: ZoneInfo, ats: list[int], days: int) -> None:
    clock = WallClock(zone)
    posts = [planned(str(n), at) for n, at in enumerate(ats)]
    landings = wall.by_days(clock, posts, days)
    for post in posts:
        before, landing = clock.place(post.at), landings[post.key]
        after = clock.place(landing.at)
        expected = (before.day + days) * MINUTES_PER_DAY + before.minute + landing.shift
        assert after.day * MINUTES_PER_DAY + after.minute == expected
        assert clock.second_ms(landing.at) == clock.second_ms(post.at)
        assert landing == wall.to_day(clock, post.at, before.day + days)
        assert bool(wall.remark(clock, landing)) == (landing.reading is not Reading.ONCE)
    assert wall.times(landings) == {key: landing.at for key, landing in landings.items()}


@settings(max_examples=40)
@given(st.data(), zones, st.integers(-1_000, 1_000))
def test_a_move_by_minutes_lands_that_much_later_on_the_wall_clock(
    data: st.DataObject, zone: ZoneInfo, minutes: int
) -> None:
    """A time that comes twice stays the second one while its day and hour do; otherwise the first is used."""
    clock = WallClock(zone)
    near = data.draw(st.sampled_from(list(changes(zone)) or [millis(2026)]))
    at = near + data.draw(st.integers(-150, 150)) * MINUTE_MS
    place = clock.place(at)
    landing = wall.by_minutes(clock, [planned("1", at)], minutes)["1"]
    wanted = clock.land(place.day, place.minute + minutes)
    is_same_day = 0 <= place.minute + minutes < MINUTES_PER_DAY
    stays_second = clock.land(*place).other == at and wanted.other is not None and is_same_day
    assert landing.at == (wanted.other if stays_second else wanted.at)
    assert landing.reading is (Reading.ONCE if stays_second else wanted.reading)


def test_only_in_its_own_repeated_hour_a_post_stays_in_the_second_pass() -> None:
    clock = WallClock(ZoneInfo("Europe/Lisbon"))
    this, next_one = date(2026, 10, 25).toordinal(), date(2027, 10, 31).toordinal()
    first, second = clock.land(this, 75).at, clock.land(this, 75).other
    assert second is not None
    posts = [planned("first", first), planned("second", second)]
    within = wall.times(wall.by_minutes(clock, posts, 15))
    assert within == {"first": first + 15 * MINUTE_MS, "second": second + 15 * MINUTE_MS}
    year_later = wall.times(wall.by_days(clock, posts, next_one - this))
    assert year_later == dict.fromkeys(("first", "second"), clock.land(next_one, 75).at)


def planned(key: str, at: int) -> PlannedPost:
    return PlannedPost(key, at, "a", PostingPlatform.X, PostType.TEXT, PostStatus.SCHEDULED, "")


@given(st.integers(0, 1_439), st.sampled_from([1, -1]))
def test_the_next_step_is_a_step_and_the_nearest(minute: int, direction: int) -> None:
    delta = wall.to_next_step(minute, direction)
    assert (minute + delta) % wall.SNAP_MINUTES == 0
    assert 0 < delta * direction <= wall.SNAP_MINUTES


@given(st.integers(-1_440, 2_880), st.sampled_from([1, 5, 10, 15, 30, 60]))
def test_snapping_rounds_to_the_nearest_step_and_half_a_step_up(minute: int, step: int) -> None:
    snapped = wall.snapped(minute, step)
    assert snapped % step == 0
    assert -step <= 2 * (minute - snapped) < step


def test_drags_snap_to_quarters_of_an_hour() -> None:
    assert [wall.snapped(minute) for minute in (607, 608, 615, 622, 623)] == [600, 615, 615, 615, 630]
    assert [wall.to_next_step(minute, 1) for minute in (600, 607)] == [15, 8]
    assert [wall.to_next_step(minute, -1) for minute in (600, 607)] == [-15, -7]


@pytest.mark.parametrize(
    ("name", "day", "minute", "words"),
    [
        ("Europe/Lisbon", "2026-03-29", 90, "so 01:30 doesn't exist. It becomes 02:30."),
        ("Europe/Lisbon", "2026-10-25", 90, "so 01:30 happens twice. The first one is used."),
        ("Australia/Lord_Howe", "2026-10-04", 135, "so 02:15 doesn't exist. It becomes 02:45."),
        ("Antarctica/Troll", "2026-03-29", 120, "so 02:00 doesn't exist. It becomes 04:00."),
        ("America/Toronto", "1919-03-30", 1_425, "so 23:45 doesn't exist. It becomes 00:45."),
        ("America/New_York", "2026-07-01", 600, None),
    ],
)
def test_what_a_clock_change_does_is_said(name: str, day: str, minute: int, words: str | None) -> None:
    clock = WallClock(ZoneInfo(name))
    said = wall.remark(clock, clock.land(date.fromisoformat(day).toordinal(), minute))
    assert (said is None) if words is None else (said or "").endswith(words)


def test_the_ends_of_the_calendar_are_places_too() -> None:
    clock = WallClock(ZoneInfo("Pacific/Kiritimati"))
    assert clock.place(LAST_MOMENT).day == date.max.toordinal() + 1
    assert clock.place(-62_135_596_800_000).day in (0, 1)
