"""SQL for live items: recorded in the content history, with their posts set to ``posted``."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, bindparam, insert, select, update

from app.contract.companion import AttemptOutcome
from app.contract.enums import EventType
from app.contract.webhooks import PostPublishedData
from app.platforms.base import Published
from app.service.analytics.samples import first_sample
from app.service.publishing.advice import published_by_another
from app.service.publishing.attempts import close
from app.service.publishing.history import Attempt, ClaimedPost, Event, target
from app.service.store.tables import attempts, contents, posts
from app.service.webhooks.events import Happening, record_all


@dataclass(frozen=True, slots=True)
class Item:
    """A live item: the attempt that published it, when, and when we learned of it."""

    post: ClaimedPost
    attempt: Attempt
    published: Published
    posted_at: datetime
    learned_at: datetime

    @property
    def content_id(self) -> str:
        """The platform's id of the item."""
        return self.published.content_id

    @property
    def key(self) -> tuple[UUID, str]:
        """Connection and platform id, which identify the item."""
        return self.post.connection_id, self.content_id


def publish(connection: Connection, items: Sequence[Item]) -> None:
    """Record live items. They are live even if the post was cancelled or deleted meanwhile."""
    items = _unknown(connection, items)
    if not items:
        return
    _record(connection, items)
    connection.execute(
        _POST_IS_LIVE, [{"live_id": item.post.id, "live_at": item.posted_at} for item in items]
    )
    connection.execute(
        _ATTEMPT_PUBLISHED,
        [
            {"live_id": item.attempt.id, "learned_at": item.learned_at, "item": item.content_id}
            for item in items
        ],
    )
    for item in items:
        others = [other for other in item.post.open_attempts if other.id != item.attempt.id]
        close(connection, others, AttemptOutcome.TRANSIENT, published_by_another(), item.learned_at)


def _unknown(connection: Connection, items: Sequence[Item]) -> Sequence[Item]:
    """Return the items that aren't known yet, under another ID or from another attempt of the post.

    A video has an upload id and a post id: a look may find one while the call still waits for the other.
    While one worker stalls during an upload, another may complete it, and both then get the item.
    """
    if not items:
        return items
    known = connection.execute(_PUBLISHED, {"ids": [item.post.id for item in items]}).all()
    by_attempt = {row.id for row in known}
    by_post = {(row.post_id, row.content_id) for row in known}
    why, new = published_by_another(), list[Item]()
    for item in items:
        if item.attempt.id in by_attempt:
            continue
        if (item.post.id, item.content_id) in by_post:
            close(connection, [item.attempt], AttemptOutcome.TRANSIENT, why, item.learned_at)
        else:
            new.append(item)
    return new


_PUBLISHED = select(attempts.c.id, attempts.c.post_id, attempts.c.content_id).where(
    attempts.c.post_id.in_(bindparam("ids", expanding=True, type_=attempts.c.post_id.type)),
    attempts.c.outcome == AttemptOutcome.PUBLISHED.value,
)
_POST_IS_LIVE = (
    update(posts)
    .where(posts.c.id == bindparam("live_id"))
    .values(
        status=target(Event.PUBLISH).value,
        posted_at=bindparam("live_at"),
        claimed_by=None,
        claimed_until=None,
    )
)
_ATTEMPT_PUBLISHED = (
    update(attempts)
    .where(attempts.c.id == bindparam("live_id"))
    .values(
        outcome=AttemptOutcome.PUBLISHED.value,
        finished_at=bindparam("learned_at"),
        content_id=bindparam("item"),
        platform_code=None,
        platform_message=None,
        advice=None,
    )
)


def known_contents(connection: Connection, connection_id: UUID, since: datetime) -> frozenset[str]:
    """Return the IDs of an account's items that already belong to posts."""
    return frozenset(connection.scalars(_KNOWN, {"connection": connection_id, "since": since}))


def is_taken(connection: Connection, post: ClaimedPost, content_id: str) -> bool:
    """Whether the item belongs to another post, or wasn't published by us."""
    item = {"connection": post.connection_id, "item": content_id}
    return any(owner != post.id for owner in connection.scalars(_OWNERS, item).all())


_KNOWN = select(contents.c.content_id).where(
    contents.c.connection_id == bindparam("connection"), contents.c.created_at >= bindparam("since")
)
_OWNERS = select(contents.c.post_id).where(
    contents.c.connection_id == bindparam("connection"), contents.c.content_id == bindparam("item")
)


def _record(connection: Connection, items: Sequence[Item]) -> None:
    """Add new items to the content history, with an event for each newly published post."""
    recorded = connection.execute(_RECORDED, {"ids": [item.content_id for item in items]})
    owners = {(row.connection_id, row.content_id): row.post_id for row in recorded}
    new = {item.key: _content_row(item) for item in items if item.key not in owners}
    if new:
        connection.execute(_NEW_CONTENT, list(new.values()))
    published = {(item.key, item.post.id): item for item in items if owners.get(item.key) != item.post.id}
    record_all(connection, [_happening(item) for item in published.values()])


_RECORDED = select(contents.c.connection_id, contents.c.content_id, contents.c.post_id).where(
    contents.c.content_id.in_(bindparam("ids", expanding=True))
)
_NEW_CONTENT = insert(contents)


def _content_row(item: Item) -> dict[str, Any]:
    post = item.post
    return {
        "id": uuid4(),
        "account_id": post.account_id,
        "connection_id": post.connection_id,
        "platform": post.platform.value,
        "content_id": item.content_id,
        "url": item.published.url,
        "post_id": post.id,
        "title": post.title,
        "description": post.description,
        "media_type": post.post_type.value,
        "status": "published",
        "batch_id": post.batch_id,
        "created_via": post.created_via.value,
        "created_at": item.learned_at,
        "next_sample_at": None if post.is_by_hand else first_sample(item.learned_at),
    }


def _happening(item: Item) -> Happening:
    post = item.post
    data = PostPublishedData(
        post_id=post.id,
        platform=post.platform,
        social_account_id=post.connection_id,
        batch_id=post.batch_id,
        content_id=item.content_id,
        posted_at=item.posted_at,
    )
    return Happening(post.account_id, EventType.POST_PUBLISHED, data, item.learned_at)
