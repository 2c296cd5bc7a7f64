"""Finds more posts per day than their platform allows. Pure functions over posts sorted by time."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from app.contract.enums import PostStatus
from app.language import filled, tr
from app.platforms.card import DailyCap
from app.platforms.cards import CARDS, name_of
from app.workspace.posts.planned import PlannedPost, Timeline
from app.workspace.time.wall import DAY_MS

"""How long published posts count, in ms."""

ON_THE_WAY: Final = frozenset(
    {PostStatus.SCHEDULED, PostStatus.QUEUED, PostStatus.PROCESSING, PostStatus.POSTED}
)
_HOUR_MS: Final = 3_600_000
_LONGEST_DAY_MS: Final = DAY_MS + 2 * _HOUR_MS
_TRIES: Final = 400

_FULL: Final = {
    (False, False): tr("{platform} allows {n} posts per account in 24 hours, and that day is full."),
    (False, True): tr("{platform} allows {n} posts per account a day, and that day is full."),
    (True, False): tr(
        "{platform} allows {n} posts in 24 hours across all your accounts, and that day is full."
    ),
    (True, True): tr("{platform} allows {n} posts a day across all your accounts, and that day is full."),
}
"""Why a day is full, by whether all accounts count together, and whether days begin at midnight."""

_CAPS: Final = {key: card.daily_cap for key, card in CARDS.items() if card.daily_cap is not None}

Holder = tuple[str, str]


def above_cap(posts: Iterable[PlannedPost]) -> Iterator[PlannedPost]:
    """Return the posts whose day is full at their time. A refused post doesn't count itself."""
    rolling: dict[Holder, deque[int]] = defaultdict(deque)
    by_date: dict[tuple[Holder, int], int] = defaultdict(int)
    for post in posts:
        cap = _CAPS.get(post.platform)
        if cap is None or post.status not in ON_THE_WAY:
            continue
        holder = _holder(post, cap)
        if cap.midnight:
            day = holder, _day(post.at, cap)
            by_date[day] += 1
            is_full = by_date[day] > cap.posts
        else:
            is_full = not _fits(rolling[holder], post.at, cap.posts)
        if is_full:
            yield post


def sentence(post: PlannedPost) -> str:
    """Say why the day is full."""
    cap = _CAPS[post.platform]
    return filled(_FULL[cap.per_app, bool(cap.midnight)], platform=name_of(post.platform), n=cap.posts)


def roomy_time(post: PlannedPost, posts: Timeline, quiet: Callable[[PlannedPost], int]) -> int | None:
    """Return the first time after a post's own at which its day isn't full; None if weeks ahead are.

    ``quiet`` returns the next time at which the account has no other post nearby.
    """
    at = quiet(post)
    for _ in range(_TRIES):
        if _has_room(post, at, posts):
            return at
        at = quiet(post._replace(at=_worth_trying(post, at, posts)))
    return None


def _has_room(post: PlannedPost, at: int, posts: Timeline) -> bool:
    """Whether a post can move there without overfilling its own day or that of later posts."""
    cap = _CAPS.get(post.platform)
    if cap is None:
        return True
    near = posts.between(at - _LONGEST_DAY_MS, at + _LONGEST_DAY_MS)
    others = [one.at for one in near if _counts_with(one, post, cap)]
    if cap.midnight:
        return sum(_day(one, cap) == _day(at, cap) for one in others) < cap.posts
    ends = [at, *(one for one in others if at <= one < at + DAY_MS)]
    return all(sum(end - DAY_MS < one <= end for one in others) < cap.posts for end in ends)


def _worth_trying(post: PlannedPost, at: int, posts: Timeline) -> int:
    """The next time with room: when the oldest post that counts is a day old."""
    cap = _CAPS[post.platform]
    if cap.midnight:
        return at + _HOUR_MS
    counting = (one.at for one in posts.between(at - DAY_MS + 1, at + 1) if _counts_with(one, post, cap))
    return max(at + 60_000, next(counting, at - DAY_MS) + DAY_MS)


def _fits(taken: deque[int], at: int, most: int) -> bool:
    while taken and taken[0] <= at - DAY_MS:
        taken.popleft()
    if len(taken) >= most:
        return False
    taken.append(at)
    return True


def _counts_with(one: PlannedPost, post: PlannedPost, cap: DailyCap) -> bool:
    is_other = one.key != post.key and one.platform is post.platform and one.status in ON_THE_WAY
    return is_other and _holder(one, cap) == _holder(post, cap)


def _holder(post: PlannedPost, cap: DailyCap) -> Holder:
    return post.platform.value, "" if cap.per_app else post.account_key


def _day(at: int, cap: DailyCap) -> int:
    return datetime.fromtimestamp(at / 1_000, ZoneInfo(cap.midnight)).toordinal()
