"""A time for a post at which its account has peace: a free slot, or else the first gap."""

from collections.abc import Iterable
from typing import Final

from app.contract.enums import PostStatus
from app.workspace.posts.planned import PlannedPost
from app.workspace.posts.timeline import Timeline
from app.workspace.slots.slots import Slot, next_free_slots
from app.workspace.time.wall import WallClock

_HOUR_MS: Final = 3_600_000
_SLOTS_TRIED: Final = 14
_OUT_OF_THE_WAY: Final = frozenset({PostStatus.CANCELLED, PostStatus.FAILED})


def quiet_time(post: PlannedPost, slots: Iterable[Slot], clock: WallClock, posts: Timeline, now: int) -> int:
    """The next time after a post's own that is an hour from every other post of its account.

    It is a free slot of the account where one of the next is quiet, in milliseconds since 1970 UTC.
    """
    after = max(post.at, now)
    free = next_free_slots(
        slots, clock, posts, after=after, count=_SLOTS_TRIED, accounts=frozenset({post.account_key})
    )
    quiet = (slot.at for slot in free if _next_quiet(post, posts, slot.at) == slot.at)
    return next(quiet, None) or _next_quiet(post, posts, after)


def next_slots(
    chosen: Iterable[PlannedPost], slots: Iterable[Slot], clock: WallClock, posts: Timeline, now: int
) -> dict[str, int]:
    """The next free slot of its account after each post's own time, no slot for two of them.

    Posts whose account has no free slot within a year are left out.
    """
    weekly = tuple(slots)
    found: dict[str, int] = {}
    last: dict[str, int] = {}
    for post in sorted(chosen, key=lambda one: (one.at, one.key)):
        account = post.account_key
        # Every free slot between the post before and the one that it took is taken by then.
        after = max(post.at, now, last.get(account, 0))
        free = next_free_slots(weekly, clock, posts, after=after, accounts=frozenset({account}))
        if free:
            found[post.key] = last[account] = free[0].at
    return found


def _next_quiet(post: PlannedPost, posts: Timeline, at: int) -> int:
    """The first time from ``at`` on with no other post of the account within the hour before or after."""
    while near := [one for one in posts.between(at - _HOUR_MS + 1, at + _HOUR_MS) if _is_rival(one, post)]:
        at = near[-1].at + _HOUR_MS
    return at


def _is_rival(one: PlannedPost, post: PlannedPost) -> bool:
    return one.account_key == post.account_key and one.key != post.key and one.status not in _OUT_OF_THE_WAY
