"""Recovery after a crash, and of posts deleted while a call's outcome was unknown."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, delete, literal, select, update

from app.contract.companion import AttemptOutcome
from app.contract.enums import PostStatus
from app.database import is_one_of
from app.service.publishing.advice import DELETED, INTERRUPTED
from app.service.publishing.claims import read_posts
from app.service.publishing.history import ClaimedPost, Event, sources
from app.service.store.tables import attempts, posts, preparations, publication_steps, removed_posts


def take_over(connection: Connection, now: datetime) -> None:
    """Release every claim and mark calls in progress as lost. Only for the single owner of a data folder."""
    connection.execute(
        update(posts).where(posts.c.claimed_by.is_not(None)).values(claimed_by=None, claimed_until=None)
    )
    connection.execute(
        update(attempts)
        .where(attempts.c.finished_at.is_(None), attempts.c.unknown_since.is_(None))
        .values(outcome=AttemptOutcome.UNKNOWN.value, unknown_since=now, advice=INTERRUPTED)
    )


def close_orphans(connection: Connection, now: datetime) -> None:
    """Close attempts with an unknown outcome whose post and its text are deleted."""
    gone = [
        ~select(table.c.id).where(table.c.id == attempts.c.post_id).exists()
        for table in (posts, removed_posts)
    ]
    connection.execute(
        update(attempts)
        .where(attempts.c.finished_at.is_(None), attempts.c.unknown_since.is_not(None), *gone)
        .values(finished_at=now, advice=DELETED)
    )


def forget_steps(connection: Connection) -> None:
    """Delete the stored steps of posts that have ended.

    Keeps those of deleted posts with a lost response, because looks on the platform need them.
    """
    for table in (publication_steps, preparations):
        on_its_way = select(posts.c.id).where(
            posts.c.id == table.c.post_id, is_one_of(posts.c.status, sources(Event.BEGIN))
        )
        unresolved = select(attempts.c.id).where(
            attempts.c.post_id == table.c.post_id, attempts.c.finished_at.is_(None)
        )
        connection.execute(delete(table).where(~on_its_way.exists(), ~unresolved.exists()))


# If the call published, its item belongs in the content history, and finding it on the platform takes the
# post's text. So the text is kept until the outcome is known, for this purpose only.
_UNRESOLVED = (
    select(attempts.c.id)
    .where(attempts.c.post_id == removed_posts.c.id, attempts.c.finished_at.is_(None))
    .exists()
)


def claim_removed(
    connection: Connection, now: datetime, until: datetime, *, carried: Collection[UUID], most: int
) -> Sequence[ClaimedPost]:
    """Claim removed posts to look for on the platform; no other engine looks before ``until``.

    They count as cancelled and are never sent again. Skips those in ``carried``. A claim that expires after
    ``until`` dates from before the clock was set back.
    """
    over = ~removed_posts.c.claimed_until.between(now, until)
    free = removed_posts.c.claimed_until.is_(None) | over
    found = (
        select(removed_posts.c.id)
        .where(_UNRESOLVED, free, removed_posts.c.id.not_in(carried))
        .limit(most)
        .with_for_update(skip_locked=True)
        .cte("found")  # so that PostgreSQL runs it once
    )
    taken = connection.execute(
        update(removed_posts)
        .where(removed_posts.c.id.in_(select(found.c.id)))
        .values(claimed_until=until)
        .returning(*removed_posts.c, literal(PostStatus.CANCELLED.value).label("status"))
    )
    return read_posts(connection, taken.all())


def forget_removed(connection: Connection) -> None:
    """Delete removed posts whose outcomes are all known."""
    connection.execute(delete(removed_posts).where(~_UNRESOLVED))
