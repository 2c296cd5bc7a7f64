"""News and notifications, and their texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from app.language import tr, trn
from app.platforms.cards import name_of, own_name
from app.workspace.accounts.account import Account
from app.workspace.advice import reason_of
from app.workspace.media.upload import Upload
from app.workspace.messages import MessageAction
from app.workspace.posts.planned import PlannedPost


class NoticeKind(Enum):
    """The kinds of notifications that the user can select."""

    PUBLISHED = "published"
    FAILED = "failed"
    RECONNECT = "reconnect"
    UPLOADED = "uploaded"
    BY_HAND = "by_hand"
    IN_INBOX = "in_inbox"


class Absence(Enum):
    """Why this computer couldn't publish when a post was due."""

    ASLEEP = "asleep"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Delay:
    """How late a post was published, in ms, and why."""

    ms: int
    cause: Absence


@dataclass(frozen=True, slots=True)
class News:
    """Something that happened.

    Attributes:
        kind: The kind of notification.
        key: Key of the post, account or upload.
        missed: Whether it happened while Kalends was closed or this computer slept.
        delay: Delay of a post that this computer couldn't publish in time.
    """

    kind: NoticeKind
    key: str
    missed: bool = False
    delay: Delay | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """A notification about one or more things: a title, a few lines, an action, and optional others."""

    kind: NoticeKind
    title: str
    text: str
    action: MessageAction
    others: tuple[MessageAction, ...] = ()


SHOW_POST: Final = "show_post"
SHOW_POSTS: Final = "show_posts"
RECONNECT: Final = "reconnect"
SHOW_CONNECTIONS: Final = "show_connections"
SHOW_FILE: Final = "show_file"
SHOW_MEDIA: Final = "show_media"
FINISH: Final = "finish"
ASK_LATER: Final = "ask_later"
SKIP: Final = "skip"
BY_HAND: Final = frozenset({FINISH, ASK_LATER, SKIP})
"""What can be done about a post that the user publishes by hand."""
COMPOSE: Final = "compose"
COPY_TEXT: Final = "copy_text"
"""Copies the text of a post in the user's inbox, to be pasted there."""
WITHOUT_WINDOW: Final = BY_HAND | {COPY_TEXT}
"""Verbs that don't bring Kalends to the front: they have a window of their own, or none."""

_NAMED: Final = 3
_MINUTE_MS: Final = 60_000
_HOUR_MS: Final = 3_600_000
_WHY_LATE: Final = {
    Absence.ASLEEP: tr("This computer was asleep at the planned time."),
    Absence.CLOSED: tr("Kalends was closed at the planned time."),
}


def published(posts: Sequence[PlannedPost], account: Account | None, delay: Delay | None = None) -> Notice:
    """Return a notification of published posts.

    ``account`` is that of a single post, ``delay`` the longest if they were late.
    """
    late = _duration(delay.ms) if delay is not None else ""
    why = _WHY_LATE[delay.cause] if delay is not None else ""
    if len(posts) == 1:
        place = _place(posts[0], account)
        title = tr("Published on {platform}", platform=place)
        if late:
            title = tr("Published on {platform} {duration} late", platform=place, duration=late)
        action = MessageAction(tr("Open"), SHOW_POST, posts[0].key)
        return Notice(NoticeKind.PUBLISHED, title, _lines(posts[0].headline, _name(account), why), action)
    n = len(posts)
    title = trn("{n} post published", "{n} posts published", n)
    if late:
        title = trn(
            "{n} post published up to {duration} late",
            "{n} posts published up to {duration} late",
            n,
            duration=late,
        )
    listed = _lines(why, _listed([_words(post) for post in posts]))
    return Notice(NoticeKind.PUBLISHED, title, listed, _all_of(posts))


def failed(posts: Sequence[PlannedPost], account: Account | None, *, missed: bool) -> Notice:
    """Return a notification of failed posts; ``missed``: while the app was closed or the computer slept."""
    n = len(posts)
    if n == 1:
        post, place = posts[0], _place(posts[0], account)
        title = tr("Not published on {platform}", platform=place)
        if post.may_be_live:
            title = tr("Check whether this was published on {platform}", platform=place)
        text = _lines(post.headline or _name(account), reason_of(post))
        return Notice(NoticeKind.FAILED, title, text, MessageAction(tr("See why"), SHOW_POST, post.key))
    title = trn("{n} post failed", "{n} posts failed", n)
    if missed:
        title = trn("{n} post failed while you were away", "{n} posts failed while you were away", n)
    return Notice(NoticeKind.FAILED, title, _listed([_words(post) for post in posts]), _all_of(posts))


def not_scheduled(why: str) -> Notice:
    """Return a notification of a post that was to be scheduled once its file was uploaded, and wasn't."""
    action = MessageAction(tr("Open"), COMPOSE)
    return Notice(NoticeKind.FAILED, tr("Your post wasn't scheduled"), why, action)


def ended(accounts: Sequence[Account]) -> Notice:
    """Return a notification of accounts that have to be reconnected."""
    if len(accounts) == 1:
        account = accounts[0]
        title = tr("Reconnect {platform}", platform=name_of(account.platform))
        text = _lines(account.name, tr("Nothing can be published to this account until you do."))
        action = MessageAction(tr("Reconnect"), RECONNECT, account.key)
        return Notice(NoticeKind.RECONNECT, title, text, action)
    title = trn("Reconnect {n} account", "Reconnect {n} accounts", len(accounts))
    names = [f"{name_of(account.platform)}: {account.name}" for account in accounts]
    action = MessageAction(tr("Show"), SHOW_CONNECTIONS)
    return Notice(NoticeKind.RECONNECT, title, _listed(names), action)


def uploaded(uploads: Sequence[Upload]) -> Notice:
    """Return a notification of finished uploads."""
    title = trn("{n} file uploaded", "{n} files uploaded", len(uploads))
    action = MessageAction(tr("Show in Media"), SHOW_MEDIA)
    if len(uploads) == 1:
        action = MessageAction(tr("Show in Media"), SHOW_FILE, uploads[0].storage_path)
    return Notice(NoticeKind.UPLOADED, title, _listed([upload.name for upload in uploads]), action)


def by_hand(posts: Sequence[PlannedPost], account: Account | None) -> Notice:
    """Return a notification of due posts that the user publishes; ``account`` is that of a single post."""
    if len(posts) == 1:
        (post,) = posts
        title = tr("Publish on {platform} now", platform=own_name(post.platform))
        others = MessageAction(tr("Later"), ASK_LATER, post.key), MessageAction(tr("Skip"), SKIP, post.key)
        text = _lines(post.headline, _name(account))
        action = MessageAction(tr("Open"), FINISH, post.key)
        return Notice(NoticeKind.BY_HAND, title, text, action, others)
    title = trn("Publish {n} post now", "Publish {n} posts now", len(posts))
    action = MessageAction(tr("Open"), FINISH, posts[0].key)
    return Notice(NoticeKind.BY_HAND, title, _listed([_words(post) for post in posts]), action)


def in_inbox(posts: Sequence[PlannedPost], account: Account | None) -> Notice:
    """Return a notification of posts in the user's inbox; ``account`` is that of a single post."""
    if len(posts) == 1:
        (post,) = posts
        title = tr("Finish a post in {platform}'s app", platform=_place(post, account))
        text = _lines(post.headline, _name(account), tr("It's in your inbox there."))
        action = MessageAction(tr("Open"), SHOW_POST, post.key)
        others = (MessageAction(tr("Copy text"), COPY_TEXT, post.key),) if post.headline else ()
        return Notice(NoticeKind.IN_INBOX, title, text, action, others)
    title = trn("Finish {n} post in your inbox", "Finish {n} posts in your inboxes", len(posts))
    return Notice(NoticeKind.IN_INBOX, title, _listed([_words(post) for post in posts]), _all_of(posts))


def _place(post: PlannedPost, account: Account | None) -> str:
    name = name_of(post.ruled_by)
    return tr("{name} (practice)", name=name) if account is not None and account.practice else name


def _name(account: Account | None) -> str:
    return account.name if account is not None else ""


def _words(post: PlannedPost) -> str:
    name = name_of(post.ruled_by)
    return f"{name}: {post.headline}" if post.headline else name


def _all_of(posts: Sequence[PlannedPost]) -> MessageAction:
    return MessageAction(tr("Show"), SHOW_POSTS, " ".join(post.key for post in posts))


def _duration(ms: int) -> str:
    if ms < 2 * _HOUR_MS:
        return trn("{n} minute", "{n} minutes", ms // _MINUTE_MS)
    return trn("{n} hour", "{n} hours", ms // _HOUR_MS)


def _lines(*lines: str) -> str:
    return "\n".join(line for line in lines if line)


def _listed(names: Sequence[str]) -> str:
    """List names and count the rest, unless only one is left."""
    if len(names) <= _NAMED + 1:
        return _lines(*names)
    left = len(names) - _NAMED
    return _lines(*names[:_NAMED], tr("and {n} more", n=left))
