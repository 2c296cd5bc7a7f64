"""Finding what will fail. Pure functions: ten thousand posts take some milliseconds."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from app.contract.enums import PostStatus
from app.workspace.accounts.account import Account
from app.workspace.clock import to_millis
from app.workspace.posts.planned import PlannedPost
from app.workspace.rules import RuleIssue
from app.workspace.warnings.warning import PlanWarning, WarningKind

TOO_CLOSE_MS: Final = 3_600_000
"""Posts of one account that are nearer than this take each other's readers away."""

_ON_THE_WAY: Final = frozenset(
    {PostStatus.SCHEDULED, PostStatus.QUEUED, PostStatus.PROCESSING, PostStatus.POSTED}
)
_FILE: Final = "media_storage_path"
_BOARD: Final = "pinterest_board_id"


class Contents(NamedTuple):
    """What was read of a post: ``same`` is equal for equal contents, 0 for none; the rules it breaks."""

    same: int
    issues: tuple[RuleIssue, ...] = ()
    has_lost_file: bool = False


def find(
    posts: Sequence[PlannedPost],
    accounts: Mapping[str, Account],
    contents: Mapping[str, Contents],
    *,
    now: int,
    unsent: Collection[str],
    runs_here: bool,
) -> Iterator[PlanWarning]:
    """Everything there is to warn of.

    Args:
        posts: In the order of time, from ``TOO_CLOSE_MS`` before ``now`` on.
        accounts: All that are connected.
        contents: By the post's key; of a post that is not among them nothing is known.
        now: In milliseconds since 1970 UTC.
        unsent: Keys of the posts that the service does not have.
        runs_here: The service runs on this computer, and sleeps when it does.
    """
    ahead = [post for post in posts if post.at > now and is_waiting(post)]
    yield from access(ahead, accounts)
    yield from rules(ahead, contents, unsent)
    yield from same_text(ahead, contents)
    yield from too_close(posts, now)
    if runs_here and ahead:
        yield PlanWarning(WarningKind.ASLEEP, "", ahead[0].at)


def is_waiting(post: PlannedPost) -> bool:
    """Whether a post is going to be published at its time."""
    return post.status is PostStatus.SCHEDULED and not post.may_be_live and not post.published


def access(posts: Iterable[PlannedPost], accounts: Mapping[str, Account]) -> Iterator[PlanWarning]:
    """Posts of accounts that are gone, that cannot be used, or whose access ends before."""
    until = {key: _usable_until(account) for key, account in accounts.items()}
    for post in posts:
        account = accounts.get(post.account_key)
        if account is None:
            yield _about(post, WarningKind.NO_ACCOUNT)
        elif not account.is_available:
            yield _about(post, WarningKind.ACCESS_ENDED)
        elif (ends := until[account.key]) is not None and ends <= post.at:
            yield _about(post, WarningKind.ACCESS_ENDS)


def rules(
    posts: Iterable[PlannedPost], contents: Mapping[str, Contents], unsent: Collection[str]
) -> Iterator[PlanWarning]:
    """Posts that the platform will refuse as they are.

    Services do not tell which board a post goes to; one that has taken a post has asked for it.
    """
    for post in posts:
        known = contents.get(post.key)
        if known is None:
            continue
        if known.has_lost_file:
            yield _about(post, WarningKind.NO_FILE, message="Its file is no longer stored by the service.")
        for issue in known.issues:
            if issue.field == _BOARD:
                if post.key in unsent:
                    yield _about(post, WarningKind.NO_BOARD, message=issue.message)
            else:
                no_file = issue.field == _FILE and issue.type == "missing"
                kind = WarningKind.NO_FILE if no_file else WarningKind.RULE
                yield _about(post, kind, message=issue.message)


def same_text(posts: Iterable[PlannedPost], contents: Mapping[str, Contents]) -> Iterator[PlanWarning]:
    """Posts that say on their account what an earlier one says."""
    first: dict[tuple[str, int], str] = {}
    for post in posts:
        known = contents.get(post.key)
        if known is None or not known.same:
            continue
        earlier = first.setdefault((post.account_key, known.same), post.key)
        if earlier != post.key:
            yield _about(post, WarningKind.SAME_TEXT, other=earlier)


def too_close(posts: Iterable[PlannedPost], now: int) -> Iterator[PlanWarning]:
    """Posts that come within the hour after another one of their account."""
    last: dict[str, PlannedPost] = {}
    for post in posts:
        if post.status not in _ON_THE_WAY:
            continue
        before = last.get(post.account_key)
        last[post.account_key] = post
        is_near = before is not None and post.at - before.at < TOO_CLOSE_MS
        if before is not None and is_near and post.at > now and is_waiting(post):
            yield _about(post, WarningKind.TOO_CLOSE, other=before.key)


def _usable_until(account: Account) -> int | None:
    ends = account.access_ends_at
    return None if ends is None else to_millis(ends)


def _about(post: PlannedPost, kind: WarningKind, *, other: str = "", message: str = "") -> PlanWarning:
    return PlanWarning(kind, post.key, post.at, post.account_key, other, message)
