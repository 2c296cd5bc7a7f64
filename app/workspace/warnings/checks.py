"""Finds what will fail. Pure functions: ten thousand posts take a few milliseconds."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from app.contract.enums import PostStatus
from app.language import tr
from app.platforms.card import Access
from app.workspace.accounts.account import Account
from app.workspace.clock import to_millis
from app.workspace.posts.planned import PlannedPost
from app.workspace.rules import RuleIssue
from app.workspace.time.wall import DAY_MS
from app.workspace.warnings import caps, limits
from app.workspace.warnings.limits import Limits, WaitingFile
from app.workspace.warnings.presence import HOUR_MS, WEEK_MS, Presence
from app.workspace.warnings.warning import PlanWarning, WarningKind, about

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
    """

    now: int
    unsent: Collection[str] = ()
    limits: Limits = field(default_factory=Limits)
    files: Sequence[WaitingFile] = ()
    presence: Presence | None = None
    undecided: Collection[str] = ()


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
    yield from day_full(posts, now)
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
    return is_waiting(post) or post.status in caps.ON_THE_WAY


def access(posts: Iterable[PlannedPost], accounts: Mapping[str, Account], now: int) -> Iterator[PlanWarning]:
    """Posts of accounts that are removed or unusable, or whose access ends before the post's time."""
    until = {key: _usable_until(account, now) for key, account in accounts.items()}
    for post in posts:
        account = accounts.get(post.account_key)
        if account is None:
            yield about(post, WarningKind.NO_ACCOUNT)
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
        if known is None or not known.same or post.status not in caps.ON_THE_WAY:
            continue
        earlier = first.setdefault((post.account_key, known.same), post.key)
        if earlier != post.key and post.at > now and is_waiting(post):
            yield about(post, WarningKind.SAME_TEXT, other=earlier)


def too_close(posts: Iterable[PlannedPost], now: int) -> Iterator[PlanWarning]:
    """Posts within an hour of an earlier post of their account."""
    last: dict[str, PlannedPost] = {}
    for post in posts:
        if post.status not in caps.ON_THE_WAY:
            continue
        before = last.get(post.account_key)
        last[post.account_key] = post
        is_near = before is not None and post.at - before.at < TOO_CLOSE_MS
        if before is not None and is_near and post.at > now and is_waiting(post):
            yield about(post, WarningKind.TOO_CLOSE, other=before.key)


def day_full(posts: Iterable[PlannedPost], now: int) -> Iterator[PlanWarning]:
    """Posts beyond their platform's daily limit."""
    for post in caps.above_cap(posts):
        if post.at > now and is_waiting(post):
            yield about(post, WarningKind.DAY_FULL, message=caps.sentence(post))


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
