"""The posts of a draft by account, and what prevents scheduling them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from pydantic import TypeAdapter, ValidationError

from app.contract.base import HttpUrl
from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.contract.limits import PINTEREST_LINK_MAX
from app.contract.places import PlaceOptions
from app.contract.tiktok import TikTokCreator
from app.language import tr, trn
from app.platforms.cards import CARDS, by_hand_key, name_of
from app.workspace.accounts.account import Account
from app.workspace.editing.accounts import posting_platform
from app.workspace.editing.boards import Board
from app.workspace.editing.lengths import Ruler
from app.workspace.media.upload import Upload
from app.workspace.posts.new import NewPost
from app.workspace.rules import RuleIssue, TextUnit, check, kind_name
from app.workspace.tiktok import COMMERCIAL, PRIVACY, TikTokDraft, issues

_ADDRESS: Final[TypeAdapter[str]] = TypeAdapter(HttpUrl)
_NO_TEXT: Final = "required_by_post_type"
"""The issue of a text post without a text."""
_BLANK: Final = tr("Write something, or add a file.")
_NO_LINK: Final = tr("That isn't a web address. Try something like okafor.studio/coat.")


class Fix(Enum):
    """A fix for an obstacle that a button offers."""

    SHORTEN = "shorten"  # shorten the text for its account


class Place(Enum):
    """Where an obstacle can be fixed."""

    ACCOUNTS = "accounts"
    TEXT = "text"
    TITLE = "title"
    FILE = "file"
    ALT_TEXT = "alt_text"
    BOARD = "board"
    LINK = "link"
    AUDIENCE = "audience"  # who can see the post on TikTok
    DISCLOSURE = "disclosure"  # what the post on TikTok promotes
    TIME = "time"


_PLACES: Final = {
    "title": Place.TITLE,
    "media_storage_path": Place.FILE,
    "pinterest_board_id": Place.BOARD,
    PRIVACY: Place.AUDIENCE,
    COMMERCIAL: Place.DISCLOSURE,
}
"""Places by field of the contract; all other fields belong to the text."""


_ORDER: Final = tuple(Place)
"""The order of the fields."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Something to fix before posts can be scheduled.

    Attributes:
        text: A message.
        account_key: The first affected account; "" if it isn't about single accounts.
        is_early: Shown while writing; the others only after an attempt to schedule.
        is_shown_there: The field itself shows the text.
        fix: The fix offered by a button next to the text; None if the user fixes it in the field.
    """

    text: str
    place: Place
    account_key: str = ""
    is_early: bool = True
    is_shown_there: bool = False
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class AccountPost:
    """The post that one account would publish.

    Attributes:
        title: "" if its platform has no titles for this type of post.
        link: As it is sent, "" for none.
        tiktok: The choices so far; None if they aren't asked for.
        creator: The options that TikTok offers the account; None if unknown.
        options: Those of a companion network; None for the account's defaults.
        by_hand: The user publishes it, although Kalends could.
    """

    account: Account
    post_type: PostType
    text: str
    title: str
    upload: Upload | None = None
    board: Board | None = None
    link: str = ""
    tiktok: TikTokDraft | None = None
    creator: TikTokCreator | None = None
    options: PlaceOptions | None = None
    by_hand: bool = False

    @property
    def ruled_by(self) -> PostingPlatform:
        """The platform whose rules apply: in its own composer, limits of its API don't."""
        platform = posting_platform(self.account)
        return PostingPlatform(by_hand_key(platform)) if self.by_hand else platform

    @property
    def ruler(self) -> Ruler | None:
        """The rules for counting its text; None if the platform's are unknown."""
        warning = (self.options.content_warning if self.options else None) or ""
        return Ruler.of(self.ruled_by, self.post_type, self.account.limits, warning)

    def new_post(self, at: int | None, idempotency_key: str) -> NewPost:
        """Return the post to schedule, or to publish now if ``at`` is None."""
        is_stored = self.upload is not None and self.upload.is_done
        return NewPost(
            account_key=self.account.key,
            platform=posting_platform(self.account),
            post_type=self.post_type,
            text=self.text,
            title=self.title or None,
            at=at,
            media_storage_path=self.upload.storage_path if self.upload is not None and is_stored else "",
            board_id=self.board.id if self.board else "",
            board_name=self.board.name if self.board else "",
            link=self.link,
            tiktok=self.tiktok.choice if self.tiktok else None,
            options=self.options,
            by_hand=self.by_hand,
            idempotency_key=idempotency_key,
        )

    def rule_issues(self) -> list[RuleIssue]:
        """Return which of its platform's rules it breaks."""
        return check(
            platform=self.ruled_by,
            post_type=self.post_type,
            title=self.title,
            text=self.text,
            media=self.upload.facts if self.upload else None,
            board_id=self.board.id if self.board else "",
            limits=self.account.limits,
            options=self.options,
        )

    def tiktok_issues(self) -> list[RuleIssue]:
        """Return what TikTok would refuse in its choices."""
        if self.tiktok is None:
            return []
        duration_ms = self.upload.facts.duration_ms if self.upload else None
        return issues(self.tiktok, self.creator, self.post_type, duration_ms)


def find_obstacles(
    posts: Sequence[AccountPost],
    *,
    is_blank: bool,
    link: str,
    file: str,
    time: str,
    inbox: str = "",
    alt_text_excess: Callable[[str], int] = lambda _upload_id: 0,
) -> list[Obstacle]:
    """Return what prevents scheduling posts, in the order of the fields, one for each cause.

    Args:
        posts: one for each selected account.
        is_blank: whether both text and file are missing.
        link: why the link for pins is invalid, "" if it isn't.
        file: why the file can't be used, "" if it can.
        time: why the time can't be used, "" if it can.
        inbox: why an inbox takes no post at that time, "" if it does.
        alt_text_excess: by how many characters the alt text of an upload is too long.
    """
    found = []
    if not posts:
        found.append(Obstacle(tr("Choose at least one account."), Place.ACCOUNTS, is_early=False))
    found += _obstacles(posts, AccountPost.rule_issues)
    found += _obstacles(posts, AccountPost.tiktok_issues)
    if not posts and is_blank:
        found.append(Obstacle(_BLANK, Place.TEXT, is_early=False))
    if link:
        found.append(Obstacle(link, Place.LINK, is_early=False, is_shown_there=True))
    if file:
        found.append(Obstacle(file, Place.FILE, is_shown_there=True))
    found += _alt_texts(posts, alt_text_excess)
    if time:
        found.append(Obstacle(time, Place.TIME, is_shown_there=True))
    elif inbox:
        found.append(Obstacle(inbox, Place.TIME, is_shown_there=True))
    return sorted(found, key=lambda one: _ORDER.index(one.place))


def _alt_texts(posts: Iterable[AccountPost], excess: Callable[[str], int]) -> list[Obstacle]:
    """Return one obstacle for each file whose alt text is too long."""
    uploads = {post.upload.id: post.account.key for post in reversed([*posts]) if post.upload is not None}
    return [
        Obstacle(
            trn("The alt text is {n} character too long.", "The alt text is {n} characters too long.", over),
            Place.ALT_TEXT,
            key,
        )
        for upload_id, key in uploads.items()
        if (over := excess(upload_id))
    ]


def inbox_full(account: Account, *, is_only: bool) -> str:
    """Return that an account's inbox is full; names the account unless it's the only one."""
    platform = name_of(account.platform.value)
    inbox = CARDS[account.platform].inbox
    most = inbox.posts if inbox is not None else 0
    if is_only:
        return tr(
            "{n} other posts for your {platform} inbox are within 24 hours of this time, and {platform} lets "
            "no more wait there. Choose another time.",
            n=most,
            platform=platform,
        )
    return tr(
        "{n} other posts for the {platform} inbox of {account} are within 24 hours of this time, and "
        "{platform} lets no more wait there. Choose another time.",
        n=most,
        platform=platform,
        account=account.name,
    )


def _obstacles(
    posts: Iterable[AccountPost], look: Callable[[AccountPost], list[RuleIssue]]
) -> list[Obstacle]:
    """Return one obstacle for each cause, even if several accounts share it."""
    refusing: defaultdict[tuple[str, str], list[tuple[AccountPost, RuleIssue]]] = defaultdict(list)
    for post in posts:
        for issue in look(post):
            refusing[_cause(post, issue)].append((post, issue))
    return [_obstacle(found) for found in refusing.values()]


def _cause(post: AccountPost, issue: RuleIssue) -> tuple[str, str]:
    """Return the cause of an obstacle; obstacles that the same change removes share it."""
    if _is_file_type(issue) and post.upload is not None:
        return issue.type, post.upload.content_type
    return issue.type, issue.message


def _is_file_type(issue: RuleIssue) -> bool:
    return issue.field == "media_storage_path" and issue.type == "unsupported"


def _obstacle(found: Sequence[tuple[AccountPost, RuleIssue]]) -> Obstacle:
    post, issue = found[0]
    is_too_long = issue.field == "description" and issue.type == "too_long"
    return Obstacle(
        text=_over(post, post.ruler) if is_too_long and post.ruler else _sentence(found),
        place=_PLACES.get(issue.field, Place.TEXT),
        account_key=post.account.key,
        is_early=issue.type not in ("missing", _NO_TEXT),
        fix=Fix.SHORTEN if is_too_long else None,
    )


def _over(post: AccountPost, ruler: Ruler) -> str:
    """Return by how much a text is too long, in the platform's unit."""
    platform = name_of(post.account.platform.value)
    length = ruler.length(post.text)
    over = length.over
    if length.unit is TextUnit.UTF8_BYTES:
        return trn(
            "{n} byte too long for {platform}.", "{n} bytes too long for {platform}.", over, platform=platform
        )
    return trn(
        "{n} character too long for {platform}.",
        "{n} characters too long for {platform}.",
        over,
        platform=platform,
    )


def _sentence(found: Sequence[tuple[AccountPost, RuleIssue]]) -> str:
    """Return the platform's message, or one for all platforms that refuse a type of file."""
    post, issue = found[0]
    platforms = list(dict.fromkeys(name_of(other.account.platform.value) for other, _ in found))
    if not _is_file_type(issue) or post.upload is None or len(platforms) < 2:
        return _BLANK if issue.type == _NO_TEXT else issue.message
    *others, last = platforms
    return tr(
        "{platforms} don't accept {kind}.",
        kind=kind_name(post.upload.content_type),
        platforms=tr("{names} and {last}", names=", ".join(others), last=last),
    )


def link_problem(written: str, accounts: Iterable[Account]) -> str:
    """Return why the link is invalid for pins among posts of accounts, or ""."""
    has_pins = any(account.platform is ConnectionPlatform.PINTEREST for account in accounts)
    return _NO_LINK if has_pins and written and not as_web_link(written) else ""


def as_web_link(written: str) -> str:
    """Return the address, with ``https://`` added if it has no scheme; "" if it isn't valid."""
    words = written.strip()
    if not words or any(char.isspace() for char in words):
        return ""
    address = words if "://" in words else f"https://{words}"
    try:
        _ADDRESS.validate_python(address)
    except ValidationError:
        return ""
    host = address.split("://", 1)[1].split("/", 1)[0]
    return address if "." in host and len(address) <= PINTEREST_LINK_MAX else ""
