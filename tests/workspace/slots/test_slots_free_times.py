"""Times for posts: at which an account isn't busy, and one for each of several files."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.workspace.clock import to_millis
from app.workspace.posts.planned import PlannedPost, Timeline
from app.workspace.slots.slots import (
    Place,
    Slot,
    SlotTime,
    free_slots,
    next_slots,
    one_a_day,
    quiet_time,
    spread,
)
from app.workspace.time.wall import WallClock, weekday
from tests.workspace.model_service import HOUR, START

MINUTE = 60_000
CLOCK = WallClock(ZoneInfo("Europe/Lisbon"))
NOW = to_millis(datetime(2026, 11, 21, 9, tzinfo=UTC))
DAY = 1_440 * MINUTE
slot_times = st.sets(st.tuples(st.integers(0, 50), st.sampled_from("abc")), max_size=30).map(
    lambda found: [SlotTime(at, account) for at, account in sorted(found)]
)
files = st.lists(st.frozensets(st.sampled_from("abc")), max_size=12)
"""Each file as the accounts that take it."""


def post(key: str, at: int, account: str = "a", status: PostStatus = PostStatus.SCHEDULED) -> PlannedPost:
    return PlannedPost(key, at, account, PostingPlatform.X, PostType.TEXT, status, "")


@given(st.lists(st.tuples(st.integers(0, 900), st.sampled_from("ab")), max_size=25))
def test_it_is_an_hour_from_every_other_post_of_the_account(plan: list[tuple[int, str]]) -> None:
    one = post("one", START + 10 * MINUTE)
    others = [post(f"{n}", START + minute * MINUTE, account) for n, (minute, account) in enumerate(plan)]
    at = quiet_time(one, (), CLOCK, Timeline([one, *others]), START)
    assert at >= one.at
    rivals = [other.at for other in others if other.account_key == "a"]
    assert all(abs(other - at) >= HOUR for other in rivals)
    earlier = range(one.at, at, 5 * MINUTE)
    assert all(any(abs(other - time) < HOUR for other in rivals) for time in earlier)


def test_a_free_slot_of_the_account_is_taken_where_there_is_one() -> None:
    one, other = post("one", START), post("other", START + HOUR)
    place = CLOCK.place(START + 5 * HOUR)
    slots = [Slot("a", weekday(place.day), place.minute), Slot("b", weekday(place.day), place.minute - 60)]
    assert quiet_time(one, slots, CLOCK, Timeline([one, other]), START) == START + 5 * HOUR


def test_a_slot_within_the_hour_of_another_post_is_no_peace() -> None:
    one, other = post("one", START), post("other", START + 5 * HOUR + 30 * MINUTE)
    place = CLOCK.place(START + 5 * HOUR)
    slots = [Slot("a", weekday(place.day), place.minute)]
    assert quiet_time(one, slots, CLOCK, Timeline([one, other]), START) == START + (5 + 7 * 24) * HOUR


def test_what_is_cancelled_is_out_of_the_way() -> None:
    one = post("one", START)
    other = post("other", START, status=PostStatus.CANCELLED)
    assert quiet_time(one, (), CLOCK, Timeline([one, other]), START) == START


weekly = st.frozensets(
    st.builds(Slot, st.sampled_from("ab"), st.integers(0, 6), st.integers(0, 1_439)), max_size=6
)


@given(weekly, st.lists(st.tuples(st.integers(0, 20_000), st.sampled_from("ab")), max_size=12))
def test_each_post_has_a_slot_of_its_own_after_its_time(
    slots: frozenset[Slot], plan: list[tuple[int, str]]
) -> None:
    posts = [post(f"{n:02}", START + minute * MINUTE, account) for n, (minute, account) in enumerate(plan)]
    found = next_slots([(one,) for one in posts], slots, CLOCK, Timeline(posts), START)
    by_key = {one.key: one for one in posts}
    for key, at in found.items():
        place = CLOCK.place(at)
        assert at > by_key[key].at
        assert Slot(by_key[key].account_key, weekday(place.day), place.minute) in slots
    for account in "ab":
        own = [at for key, at in found.items() if by_key[key].account_key == account]
        assert len(own) == len(set(own))
        if any(slot.account_key == account for slot in slots):
            assert len(own) == sum(one.account_key == account for one in posts)


def test_posts_of_one_idea_take_the_next_slot_that_is_free_on_all_their_accounts() -> None:
    days = (CLOCK.place(NOW).day + 1, CLOCK.place(NOW).day + 2)
    times = [CLOCK.land(day, minute).at for day in days for minute in (540, 720)]
    slots = [Slot("a", weekday(day), 540) for day in days] + [Slot("b", weekday(day), 720) for day in days]
    together = [post("one", NOW, "a"), post("two", NOW, "b"), post("three", NOW, "c")]
    others = [post("near", times[0] + 5 * MINUTE, "c"), post("far", times[1], "d")]

    found = next_slots([together], slots, CLOCK, Timeline([*together, *others]), NOW)
    assert found == dict.fromkeys(("one", "two", "three"), times[1])

    again = [one._replace(at=times[1]) for one in together]
    found = next_slots([again], slots, CLOCK, Timeline([*again, *others]), NOW)
    assert found == dict.fromkeys(("one", "two", "three"), times[2])


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
