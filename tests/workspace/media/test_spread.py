from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from app.workspace.clock import to_millis
from app.workspace.media.spread import Place, free_slots, one_a_day, spread
from app.workspace.posts.timeline import Timeline
from app.workspace.slots.slots import Slot, SlotTime
from app.workspace.time.wall import WallClock

CLOCK = WallClock(ZoneInfo("Europe/Lisbon"))
NOW = to_millis(datetime(2026, 11, 21, 9, tzinfo=UTC))
MINUTE = 60_000
DAY = 1_440 * MINUTE

slot_times = st.sets(st.tuples(st.integers(0, 50), st.sampled_from("abc")), max_size=30).map(
    lambda found: [SlotTime(at, account) for at, account in sorted(found)]
)
files = st.lists(st.frozensets(st.sampled_from("abc")), max_size=12)
"""Each file as the accounts that take it."""


@given(files, slot_times)
def test_no_slot_is_given_twice_and_each_takes_its_file(
    wanted: list[frozenset[str]], free: list[SlotTime]
) -> None:
    places = spread(wanted, free, lambda file, account: account in file)
    given_away = [place for place in places if place is not None]
    assert len(set(given_away)) == len(given_away)
    known = {Place(slot.at, slot.account_key) for slot in free}
    for file, place in zip(wanted, places, strict=True):
        assert place is None or (place in known and place.account_key in file)


@given(files, slot_times)
def test_a_file_stays_without_a_place_only_when_none_is_left_for_it(
    wanted: list[frozenset[str]], free: list[SlotTime]
) -> None:
    places = spread(wanted, free, lambda file, account: account in file)
    taken = {place for place in places if place is not None}
    for file, place in zip(wanted, places, strict=True):
        left = [slot for slot in free if Place(slot.at, slot.account_key) not in taken]
        assert place is not None or not any(slot.account_key in file for slot in left)


def test_what_drafts_are_meant_for_is_not_free() -> None:
    slots = [Slot("a", weekday, 600) for weekday in range(7)]
    every = free_slots(slots, CLOCK, Timeline(()), [], NOW)
    drafts = [Place(every[0].at + 5 * MINUTE, "a"), Place(every[1].at, "b")]
    assert free_slots(slots, CLOCK, Timeline(()), drafts, NOW) == every[1:]


def test_one_a_day_keeps_the_time_of_day_over_a_clock_change() -> None:
    start = to_millis(datetime(2026, 10, 24, 8, tzinfo=UTC))  # the day before clocks are put back
    times = [place.at for place in one_a_day(3, CLOCK, start, start)]
    assert [CLOCK.place(at).minute for at in times] == [9 * 60] * 3
    assert [CLOCK.place(at).day - CLOCK.place(start).day for at in times] == [1, 2, 3]


@given(st.integers(1, 20), st.integers(-3, 3))
def test_one_a_day_is_always_ahead(count: int, days: int) -> None:
    times = [place.at for place in one_a_day(count, CLOCK, NOW + days * DAY, NOW)]
    assert len(times) == count
    assert all(at > NOW for at in times)
    assert times == sorted(set(times))
