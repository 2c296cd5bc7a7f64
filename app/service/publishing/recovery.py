"""Recovery after a crash: releasing abandoned claims and closing calls without a post."""

from datetime import datetime

from sqlalchemy import Connection, delete, select, update

from app.contract.companion import AttemptOutcome
from app.service.publishing.advice import DELETED, INTERRUPTED
from app.service.publishing.states import Event, sources
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
            posts.c.id == table.c.post_id, posts.c.status.in_(sorted(sources(Event.BEGIN)))
        )
        unresolved = select(attempts.c.id).where(
            attempts.c.post_id == table.c.post_id, attempts.c.finished_at.is_(None)
        )
        connection.execute(delete(table).where(~on_its_way.exists(), ~unresolved.exists()))
