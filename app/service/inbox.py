"""Accounts whose posts go to the user's inbox on the platform, who finishes them in its app.

Each account has a setting. By default, posts go to the inbox until the app is known to publish for everybody:
a platform that hasn't audited an app hides what it publishes, but not what the user finishes.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    exists,
    false,
    func,
    or_,
    select,
    true,
    update,
)

from app.contract.companion import AttemptOutcome
from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.contract.errors import ValidationIssue
from app.database import is_one_of
from app.platforms.cards import CARDS, name_of
from app.service.api.responses import invalid
from app.service.media.rows import PENDING
from app.service.publishing.history import Step
from app.service.store.tables import attempts, connections, contents, posts

_CAPS: Final = {key: card.inbox for key, card in CARDS.items() if card.inbox is not None}
_DAY: Final = timedelta(days=1)
_FULL: Final = (
    "is within 24 hours of {n} other posts for the {platform} inbox, and {platform} lets no more wait there. "
    "Choose another time, or publish some of them first."
)


class OnlyWay(StrEnum):
    """The only way in which an account's posts can be published, because the user didn't allow the other."""

    INBOX = "inbox"
    DIRECT = "direct"


_NOT_ALLOWED: Final = {
    OnlyWay.INBOX: "can't be turned off: this account's permissions don't include publishing directly. "
    "Connect it again and allow that.",
    OnlyWay.DIRECT: "can't be turned on: this account's permissions don't include the inbox. "
    "Connect it again and allow that.",
}
_SENT: Final = (Step.PUBLISH.value, Step.REPEAT.value)


def only_way(platform: ConnectionPlatform, granted: frozenset[str] | None) -> OnlyWay | None:
    """Return what granted permissions restrict an account to; None for nothing, or if they're unknown."""
    card = CARDS[platform]
    if card.inbox is None or granted is None:
        return None
    if card.inbox.scope not in granted:
        return OnlyWay.DIRECT
    return None if card.registration.publishing <= granted else OnlyWay.INBOX


def refused_scopes(platform: ConnectionPlatform, *, inbox_only: bool) -> frozenset[str]:
    """Return the scopes not to request for an app that may only use the user's inbox."""
    card = CARDS[platform]
    return card.registration.publishing if inbox_only and card.inbox is not None else frozenset()


def goes_to_inbox() -> ColumnElement[bool]:
    """Condition on a row of ``connections``: its posts go to the inbox."""
    # Never null, so that it can be negated.
    only = func.coalesce(connections.c.only_way, "")
    by_default = and_(connections.c.inbox.is_(None), ~_publishes_for_everybody())
    wanted = and_(or_(connections.c.inbox.is_(true()), by_default), only != OnlyWay.DIRECT.value)
    return and_(is_one_of(connections.c.platform, _CAPS), or_(only == OnlyWay.INBOX.value, wanted))


def _publishes_for_everybody() -> ColumnElement[bool]:
    """Whether the owner's app has published something that got an ID for everybody.

    Uploads, and posts that only their author can see, have IDs that start with a letter.
    """
    found = (
        attempts.c.post_id == contents.c.post_id,
        attempts.c.content_id == contents.c.content_id,
        attempts.c.outcome == AttemptOutcome.PUBLISHED.value,
        is_one_of(attempts.c.step, _SENT),
        contents.c.account_id == connections.c.account_id,
        contents.c.platform == connections.c.platform,
        is_one_of(func.substr(contents.c.content_id, 1, 1), "0123456789"),
    )
    return exists().where(*found)


_IS_TO_INBOX: Final = select(connections.c.id).where(
    connections.c.id == bindparam("connection"), goes_to_inbox()
)
_LOCKED: Final = (
    select(connections.c.id)
    .where(connections.c.id == bindparam("connection"))
    .with_for_update(key_share=True)  # posts may be inserted meanwhile
)


def is_to_inbox(rows: Connection, connection_id: UUID) -> bool:
    """Whether a connected account's posts go to the inbox."""
    return rows.scalar(_IS_TO_INBOX, {"connection": connection_id}) is not None


def restriction(rows: Connection, connection_id: UUID) -> OnlyWay | None:
    """Return the only way in which an account's posts can be published; None if it has both."""
    found = rows.scalar(select(connections.c.only_way).where(connections.c.id == connection_id))
    return None if found is None else OnlyWay(found)


def choose(rows: Connection, connection_id: UUID, to_inbox: bool | None) -> None:
    """Store an account's setting; None for the default. Raises ApiError (400) if it wasn't allowed."""
    only = restriction(rows, connection_id)
    if only is not None and to_inbox is not None and to_inbox is not (only is OnlyWay.INBOX):
        raise invalid("inbox", _NOT_ALLOWED[only], "not_allowed")
    rows.execute(update(connections).where(connections.c.id == connection_id).values(inbox=to_inbox))


def in_inboxes(rows: Connection, account_id: UUID) -> list[UUID]:
    """Return the posts that wait in inboxes for their user, earliest first."""
    is_there = exists().where(
        attempts.c.post_id == posts.c.id, attempts.c.outcome == AttemptOutcome.IN_INBOX.value
    )
    found = select(posts.c.id).where(
        posts.c.account_id == account_id,
        is_one_of(posts.c.status, PENDING),
        is_one_of(posts.c.platform, _CAPS),
        is_there,
    )
    return list(rows.scalars(found.order_by(posts.c.scheduled_at, posts.c.id)))


def full_issues(
    rows: Connection, connection_id: UUID, at: datetime, moved: UUID | None = None
) -> list[ValidationIssue]:
    """Return a problem if a post at ``at`` would be one too many in its account's inbox.

    Call it in the transaction that stores the post: others that ask about the same inbox wait until its end.
    ``moved`` is the post that gets this time, if it exists already.
    """
    platform = rows.scalar(select(connections.c.platform).where(connections.c.id == connection_id))
    cap = _CAPS.get(str(platform))
    is_by_hand = rows.scalar(select(posts.c.by_hand).where(posts.c.id == moved)) if moved else False
    if cap is None or is_by_hand:
        return []
    # Processes must count one after the other, or several of them find the last place.
    rows.execute(_LOCKED, {"connection": connection_id})
    if not is_to_inbox(rows, connection_id):
        return []
    near = select(posts.c.scheduled_at).where(
        posts.c.connection_id == connection_id,
        is_one_of(posts.c.status, PENDING),
        posts.c.scheduled_at > at - _DAY,
        posts.c.scheduled_at < at + _DAY,
        ~posts.c.by_hand,
        posts.c.id != moved if moved is not None else ~false(),
    )
    if _fits(rows.scalars(near), at, cap.posts):
        return []
    words = _FULL.format(platform=name_of(PostingPlatform(str(platform))), n=cap.posts)
    return [ValidationIssue(field="scheduled_at", message=words, type="inbox_full")]


def _fits(others: Iterable[datetime], at: datetime, cap: int) -> bool:
    """Whether no span of 24 hours with ``at`` has more than ``cap`` posts."""
    times = list(others)
    ends = [at, *(one for one in times if one > at)]
    return all(sum(end - _DAY < one <= end for one in times) < cap for end in ends)
