"""Days that are fuller than their platform allows."""

from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.platforms.cards import CARDS
from app.workspace.posts.planned import PlannedPost, Timeline
from app.workspace.slots.slots import quiet_time
from app.workspace.time.wall import DAY_MS, WallClock
from app.workspace.warnings.checks import above_cap, is_inbox_full, roomy_time, sentence
from tests.workspace.model_service import HOUR, START

MINUTE = 60_000
TIKTOK, YOUTUBE = PostingPlatform.TIKTOK, PostingPlatform.YOUTUBE
DAILY = {key: card.daily_cap for key, card in CARDS.items() if card.daily_cap is not None}
MOST = DAILY[TIKTOK].posts
CLOCK = WallClock(ZoneInfo("Europe/Lisbon"))


def post(
    number: int,
    at: int,
    account: str = "a",
    platform: PostingPlatform = TIKTOK,
    status: PostStatus = PostStatus.SCHEDULED,
) -> PlannedPost:
    return PlannedPost(f"{number:04}", at, account, platform, PostType.VIDEO, status, "words")


def row(count: int) -> list[PlannedPost]:
    return [post(number, START + number * HOUR) for number in range(count)]


def keys(posts: list[PlannedPost]) -> list[str]:
    return [one.key for one in above_cap(posts)]


def test_a_full_day_takes_no_more_until_its_first_post_is_a_day_old() -> None:
    posts = row(30)
    assert keys(posts) == [f"{number:04}" for number in range(MOST, 24)]
    assert keys(row(MOST)) == []


def test_another_account_has_a_day_of_its_own_and_what_is_cancelled_takes_no_room() -> None:
    others = [post(100 + n, START + n * HOUR, account="b") for n in range(5)]
    off = [post(200 + n, START + n * HOUR, status=PostStatus.CANCELLED) for n in range(5)]
    assert keys(sorted([*row(MOST), *others, *off], key=lambda one: (one.at, one.key))) == []


def test_a_day_that_begins_at_a_midnight_is_shared_by_all_accounts_of_an_app() -> None:
    most = DAILY[YOUTUBE].posts
    posts = [
        post(n, START + n * MINUTE, account="ab"[n % 2], platform=YOUTUBE, status=PostStatus.POSTED)
        for n in range(most)
    ]
    late = post(500, START + 12 * HOUR, platform=YOUTUBE)  # 13:00 in California
    tomorrow = post(501, START + 23 * HOUR + HOUR // 2, platform=YOUTUBE)
    assert keys([*posts, late, tomorrow]) == [late.key]
    assert sentence(late) == (
        f"YouTube allows {most} posts a day across all your accounts, and that day is full."
    )


@pytest.mark.parametrize("platform", [PostingPlatform.FACEBOOK, PostingPlatform.PINTEREST])
def test_a_platform_without_a_number_is_never_full(platform: PostingPlatform) -> None:
    assert keys([post(n, START + n * MINUTE, platform=platform) for n in range(600)]) == []


@given(st.lists(st.integers(0, 3_000), min_size=1, max_size=60), st.data())
def test_a_roomy_time_helps_and_hurts_no_other_post(minutes: list[int], data: st.DataObject) -> None:
    posts = [post(n, START + minute * MINUTE) for n, minute in enumerate(sorted(minutes))]
    before = keys(posts)
    chosen = data.draw(st.sampled_from(posts))
    at = roomy_time(chosen, Timeline(posts), lambda one: quiet_time(one, (), CLOCK, Timeline(posts), START))
    assert at is not None
    assert at >= chosen.at
    moved = [one._replace(at=at) if one.key == chosen.key else one for one in posts]
    after = keys(sorted(moved, key=lambda one: (one.at, one.key)))
    assert chosen.key not in after
    assert len(after) <= len(before)


@given(st.lists(st.integers(0, 4_000), max_size=80))
def test_what_is_let_through_never_exceeds_the_cap(minutes: list[int]) -> None:
    posts = [post(n, START + minute * MINUTE) for n, minute in enumerate(sorted(minutes))]
    refused = set(keys(posts))
    taken = [one.at for one in posts if one.key not in refused]
    windows = [later - earlier for earlier, later in zip(taken, taken[MOST:], strict=False)]
    assert all(window >= DAY_MS for window in windows)
    assert all(earlier <= later for earlier, later in pairwise(taken))


def test_posts_by_hand_neither_count_nor_exceed_a_cap() -> None:
    full = row(MOST)
    late = post(MOST, START + MOST * HOUR)
    assert keys([*full, late]) == [late.key]
    assert keys([*full, late._replace(by_hand=True)]) == []
    assert keys([full[0]._replace(by_hand=True), *full[1:], late]) == []
    timeline = Timeline([*full])
    nearby = late.at
    assert roomy_time(late._replace(by_hand=True), timeline, lambda _: nearby) == nearby


INBOX = CARDS[TIKTOK].inbox


def in_day(count: int, status: PostStatus = PostStatus.SCHEDULED) -> list[PlannedPost]:
    return [post(number, START + number * HOUR, status=status) for number in range(count)]


def test_a_sixth_post_in_an_inbox_within_a_day_is_named() -> None:
    assert INBOX is not None
    posts = in_day(INBOX.posts + 1)
    assert keys(posts) == []
    [sixth] = above_cap(posts, {"a"})
    assert sixth.key == posts[-1].key
    assert sentence(sixth, {"a"}) == (
        "TikTok lets 5 posts of an account wait in its inbox in 24 hours, and that day is full."
    )
    assert list(above_cap(posts, {"b"})) == []


def test_what_the_user_has_finished_or_publishes_by_hand_takes_no_room_in_the_inbox() -> None:
    posted = in_day(5, PostStatus.POSTED)
    assert list(above_cap([*posted, post(9, START + 6 * HOUR)], {"a"})) == []
    by_hand = [one._replace(by_hand=True) for one in in_day(5)]
    assert list(above_cap([*by_hand, post(9, START + 6 * HOUR)], {"a"})) == []


@pytest.mark.parametrize(
    ("hours", "is_full"), [(-20, False), (-19, True), (0, True), (12, True), (23, True), (24, False)]
)
def test_an_inbox_is_full_within_a_day_of_five_posts(hours: int, is_full: bool) -> None:
    at, posts = START + hours * HOUR, Timeline(in_day(5))
    others = Timeline([post(n, START + n * HOUR, account="b") for n in range(5)])
    assert is_inbox_full("a", at, posts) is is_full
    assert not is_inbox_full("a", at, others)
    assert not is_inbox_full("a", at, posts, replaced="0002")


def test_a_post_moves_to_a_time_with_room_in_the_inbox() -> None:
    posts = in_day(6)
    timeline, last = Timeline(posts), posts[-1]
    at = roomy_time(last, timeline, lambda one: quiet_time(one, (), CLOCK, timeline, START), {"a"})
    assert at is not None
    assert not is_inbox_full("a", at, timeline, last.key)
    assert at >= START + DAY_MS
