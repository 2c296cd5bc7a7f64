"""Finds what will fail. Pure functions: ten thousand posts take a few milliseconds."""

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.language import filled, tr
from app.platforms.card import Access, DailyCap
from app.platforms.cards import CARDS, name_of
from app.workspace.accounts.account import Account
from app.workspace.clock import to_millis
from app.workspace.posts.planned import PlannedPost, Timeline
from app.workspace.rules import RuleIssue
from app.workspace.time.wall import DAY_MS
from app.workspace.warnings import limits
from app.workspace.warnings.limits import Limits, WaitingFile
from app.workspace.warnings.presence import HOUR_MS, WEEK_MS, Presence
from app.workspace.warnings.warning import PlanWarning, WarningKind, about

PENDING: Final = frozenset({PostStatus.SCHEDULED, PostStatus.QUEUED, PostStatus.PROCESSING})
ON_THE_WAY: Final = PENDING | {PostStatus.POSTED}
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

_INBOX_FULL: Final = tr(
    "{platform} lets {n} posts of an account wait in its inbox in 24 hours, and that day is full."
)

Holder = tuple[str, str]


class _Limit(NamedTuple):
    """How many posts a day has room for, and the statuses that count."""

    cap: DailyCap
    counted: frozenset[PostStatus]
    is_inbox: bool = False


def _limits_by_platform() -> dict[str, tuple[_Limit | None, _Limit | None]]:
    """Return the limit of each platform's posts, and of those that go to the user's inbox there."""
    found: dict[str, tuple[_Limit | None, _Limit | None]] = {}
    for key, card in CARDS.items():
        usual = _Limit(card.daily_cap, ON_THE_WAY) if card.daily_cap else None
        inbox = card.inbox and _Limit(DailyCap(card.inbox.posts, card.inbox.source), PENDING, is_inbox=True)
        found[key] = usual, inbox or usual
    return found


_LIMITS: Final = _limits_by_platform()


def _limit(post: PlannedPost, inboxes: Collection[str]) -> _Limit | None:
    limits = _LIMITS.get(post.ruled_by)
    return limits[post.account_key in inboxes] if limits is not None else None


def above_cap(posts: Iterable[PlannedPost], inboxes: Collection[str] = ()) -> Iterator[PlannedPost]:
    """Return the posts whose day is full at their time. A refused post doesn't count itself.

    ``inboxes`` are the keys of the accounts whose posts go to the user's inbox on the platform.
    """
    rolling: dict[Holder, deque[int]] = defaultdict(deque)
    by_date: dict[tuple[Holder, int], int] = defaultdict(int)
    for post in posts:
        limit = _limit(post, inboxes)
        if limit is None or post.status not in limit.counted:
            continue
        cap = limit.cap
        holder = _holder(post, cap)
        if cap.midnight:
            day = holder, _day(post.at, cap)
            by_date[day] += 1
            is_full = by_date[day] > cap.posts
        else:
            is_full = not _fits(rolling[holder], post.at, cap.posts)
        if is_full:
            yield post


def sentence(post: PlannedPost, inboxes: Collection[str] = ()) -> str:
    """Say why the day is full. Raises ValueError for a post without a limit."""
    limit = _limit(post, inboxes)
    if limit is None:
        raise ValueError(post.platform.value)
    cap = limit.cap
    words = _INBOX_FULL if limit.is_inbox else _FULL[cap.per_app, bool(cap.midnight)]
    return filled(words, platform=name_of(post.platform), n=cap.posts)


def roomy_time(
    post: PlannedPost,
    posts: Timeline,
    quiet: Callable[[PlannedPost], int],
    inboxes: Collection[str] = (),
) -> int | None:
    """Return the first time after a post's own at which its day isn't full; None if weeks ahead are.

    ``quiet`` returns the next time at which the account has no other post nearby.
    """
    at, limit = quiet(post), _limit(post, inboxes)
    for _ in range(_TRIES):
        if limit is None or _has_room(post, at, posts, limit):
            return at
        at = quiet(post._replace(at=_worth_trying(post, at, posts, limit)))
    return None


def is_inbox_full(account_key: str, at: int, posts: Timeline, replaced: str = "") -> bool:
    """Whether a TikTok post at ``at`` would be one too many in the account's inbox.

    ``replaced`` is the key of the post whose place it takes; "" for none.
    """
    platform, status = PostingPlatform.TIKTOK, PostStatus.SCHEDULED
    post = PlannedPost(replaced, at, account_key, platform, PostType.VIDEO, status, "")
    limit = _limit(post, (account_key,))
    return limit is not None and not _has_room(post, at, posts, limit)


def _has_room(post: PlannedPost, at: int, posts: Timeline, limit: _Limit) -> bool:
    """Whether a post can move there without overfilling its own day or that of later posts."""
    cap = limit.cap
    near = posts.between(at - _LONGEST_DAY_MS, at + _LONGEST_DAY_MS)
    others = [one.at for one in near if _counts_with(one, post, limit)]
    if cap.midnight:
        return sum(_day(one, cap) == _day(at, cap) for one in others) < cap.posts
    ends = [at, *(one for one in others if at <= one < at + DAY_MS)]
    return all(sum(end - DAY_MS < one <= end for one in others) < cap.posts for end in ends)


def _worth_trying(post: PlannedPost, at: int, posts: Timeline, limit: _Limit) -> int:
    """The next time with room: when the oldest post that counts is a day old."""
    if limit.cap.midnight:
        return at + _HOUR_MS
    counting = (one.at for one in posts.between(at - DAY_MS + 1, at + 1) if _counts_with(one, post, limit))
    return max(at + 60_000, next(counting, at - DAY_MS) + DAY_MS)


def _fits(taken: deque[int], at: int, most: int) -> bool:
    while taken and taken[0] <= at - DAY_MS:
        taken.popleft()
    if len(taken) >= most:
        return False
    taken.append(at)
    return True


def _counts_with(one: PlannedPost, post: PlannedPost, limit: _Limit) -> bool:
    is_other = one.key != post.key and one.ruled_by == post.ruled_by and one.status in limit.counted
    return is_other and _holder(one, limit.cap) == _holder(post, limit.cap)


def _holder(post: PlannedPost, cap: DailyCap) -> Holder:
    return post.platform.value, "" if cap.per_app else post.account_key


def _day(at: int, cap: DailyCap) -> int:
    return datetime.fromtimestamp(at / 1_000, ZoneInfo(cap.midnight)).toordinal()


LOOK_BACK_MS: Final = DAY_MS
"""How long published posts matter for later ones, in ms."""
TOO_CLOSE_MS: Final = 3_600_000
"""Posts of one account that are closer than this compete for readers, in ms."""

_RENEWAL_FAILED_MS: Final = 5 * DAY_MS
"""Remaining time in ms at which automatic renewal must have failed."""

_FILE: Final = "media_storage_path"
_BOARD: Final = "pinterest_board_id"
_UNDECIDED: Final = tr("Choose who can see it on TikTok, in the composer or for the account.")
_LOST: Final = tr("The service no longer has its file.")


class Contents(NamedTuple):
    """A post's content: ``same`` is equal for equal contents, 0 for none; and the rules it breaks."""

    same: int
    issues: tuple[RuleIssue, ...] = ()
    has_lost_file: bool = False


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the checks need in addition to the posts.

    Attributes:
        now: In milliseconds since 1970 UTC.
        unsent: Keys of the posts that the service doesn't have.
        limits: The service's limits, as far as known.
        files: Files that aren't stored yet, in the order they're sent.
        presence: When this computer is on; None if it doesn't publish the posts.
        undecided: Keys of TikTok posts for which it isn't chosen who can see them.
        inboxes: Keys of the accounts whose posts go to the user's inbox on the platform.
    """

    now: int
    unsent: Collection[str] = ()
    limits: Limits = field(default_factory=Limits)
    files: Sequence[WaitingFile] = ()
    presence: Presence | None = None
    undecided: Collection[str] = ()
    inboxes: Collection[str] = ()


def find(
    posts: Sequence[PlannedPost],
    accounts: Mapping[str, Account],
    contents: Mapping[str, Contents],
    around: Surroundings,
) -> Iterator[PlanWarning]:
    """Return all warnings.

    Args:
        posts: Sorted by time, from ``LOOK_BACK_MS`` before now on.
        accounts: All that are connected.
        contents: By the post's key; a missing post is unknown.
        around: What else matters.
    """
    now, usage = around.now, around.limits.usage
    ahead = [post for post in posts if post.at > now and is_waiting(post)]
    yield from access(ahead, accounts, now)
    yield from rules(ahead, contents, around.unsent)
    undecided = (post for post in ahead if post.key in around.undecided)
    yield from (about(post, WarningKind.NO_AUDIENCE, message=_UNDECIDED) for post in undecided)
    yield from same_text(posts, contents, now)
    yield from too_close(posts, now)
    yield from day_full(posts, now, around.inboxes)
    yield from limits.no_room(around.files, usage)
    yield from limits.subscription(ahead, usage)
    yield from limits.too_late(ahead, around.unsent, around.limits.creating, now)
    if around.presence is not None:
        yield from asleep(ahead, around.presence, now)


def is_waiting(post: PlannedPost) -> bool:
    """Whether a post will be published at its time."""
    return post.status is PostStatus.SCHEDULED and not post.may_be_live and not post.published


def matters(post: PlannedPost) -> bool:
    """Whether a post's content matters: it will be published, or was published recently."""
    return is_waiting(post) or post.status in ON_THE_WAY


def access(posts: Iterable[PlannedPost], accounts: Mapping[str, Account], now: int) -> Iterator[PlanWarning]:
    """Posts of accounts that are removed or unusable, or whose access ends before the post's time.

    Single posts by hand need no access.
    """
    until = {key: _usable_until(account, now) for key, account in accounts.items()}
    for post in posts:
        account = accounts.get(post.account_key)
        if account is None:
            yield about(post, WarningKind.NO_ACCOUNT)
        elif post.by_hand:
            continue
        elif not account.is_available:
            yield about(post, WarningKind.ACCESS_ENDED)
        elif (ends := until[account.key]) is not None and ends <= post.at:
            yield about(post, WarningKind.ACCESS_ENDS)


def rules(
    posts: Iterable[PlannedPost], contents: Mapping[str, Contents], unsent: Collection[str]
) -> Iterator[PlanWarning]:
    """Posts that the platform will refuse.

    Services don't return a post's board; one that accepted a post has checked it.
    """
    for post in posts:
        known = contents.get(post.key)
        if known is None:
            continue
        if known.has_lost_file:
            yield about(post, WarningKind.NO_FILE, message=_LOST)
        for issue in known.issues:
            if issue.field == _BOARD:
                if post.key in unsent:
                    yield about(post, WarningKind.NO_BOARD, message=issue.message)
            else:
                no_file = issue.field == _FILE and issue.type == "missing"
                kind = WarningKind.NO_FILE if no_file else WarningKind.RULE
                yield about(post, kind, message=issue.message)


def same_text(
    posts: Iterable[PlannedPost], contents: Mapping[str, Contents], now: int
) -> Iterator[PlanWarning]:
    """Posts with the content of an earlier post of their account, or of one published within the last day."""
    first: dict[tuple[str, int], str] = {}
    for post in posts:
        known = contents.get(post.key)
        if known is None or not known.same or post.status not in ON_THE_WAY:
            continue
        earlier = first.setdefault((post.account_key, known.same), post.key)
        if earlier != post.key and post.at > now and is_waiting(post):
            yield about(post, WarningKind.SAME_TEXT, other=earlier)


def too_close(posts: Iterable[PlannedPost], now: int) -> Iterator[PlanWarning]:
    """Posts within an hour of an earlier post of their account."""
    last: dict[str, PlannedPost] = {}
    for post in posts:
        if post.status not in ON_THE_WAY:
            continue
        before = last.get(post.account_key)
        last[post.account_key] = post
        is_near = before is not None and post.at - before.at < TOO_CLOSE_MS
        if before is not None and is_near and post.at > now and is_waiting(post):
            yield about(post, WarningKind.TOO_CLOSE, other=before.key)


def day_full(posts: Iterable[PlannedPost], now: int, inboxes: Collection[str] = ()) -> Iterator[PlanWarning]:
    """Posts beyond their platform's daily limit, or beyond the room in the user's inbox there."""
    for post in above_cap(posts, inboxes):
        if post.at > now and is_waiting(post):
            yield about(post, WarningKind.DAY_FULL, message=sentence(post, inboxes))


def asleep(posts: Sequence[PlannedPost], presence: Presence, now: int) -> Iterator[PlanWarning]:
    """Posts at times when this computer is usually off; otherwise, once, that it has to be awake."""
    by_hour: dict[int, str] = {}  # hours of the week: what's known of one is true for all weeks ahead
    is_told = False
    for post in posts:
        hour = post.at % WEEK_MS // HOUR_MS
        if hour not in by_hour:
            by_hour[hour] = str(presence.was_off(post.at, now) or "")
        if by_hour[hour]:
            is_told = True
            yield about(post, WarningKind.USUALLY_OFF, message=by_hour[hour])
    if posts and not is_told:
        yield PlanWarning(WarningKind.ASLEEP, "", posts[0].at)


def _usable_until(account: Account, now: int) -> int | None:
    if account.access_ends_at is None:
        return None
    ends = to_millis(account.access_ends_at)
    return None if account.access is Access.WEEKS and ends - now > _RENEWAL_FAILED_MS else ends
