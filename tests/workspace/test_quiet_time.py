"""A time at which an account has peace."""

from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.workspace.posts.planned import PlannedPost
from app.workspace.posts.timeline import Timeline
from app.workspace.slots.gaps import next_slots, quiet_time
from app.workspace.slots.slots import Slot
from app.workspace.time.wall import WallClock, weekday
from tests.workspace.model_service import HOUR, START

MINUTE = 60_000
CLOCK = WallClock(ZoneInfo("Europe/Lisbon"))


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
    found = next_slots(posts, slots, CLOCK, Timeline(posts), START)
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
