"""SQL for ``removed_posts``: posts deleted for good while a call's outcome was unknown.

If the call published, its item belongs in the content history, and finding it on the platform takes the
post's text. So the text is kept until the outcome is known, for this purpose only.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, delete, literal, select, update

from app.contract.enums import PostStatus
from app.service.publishing.claims import read_posts
from app.service.publishing.history import ClaimedPost
from app.service.store.tables import attempts, removed_posts

_UNRESOLVED = (
    select(attempts.c.id)
    .where(attempts.c.post_id == removed_posts.c.id, attempts.c.finished_at.is_(None))
    .exists()
)


def claim(
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


def forget(connection: Connection) -> None:
    """Delete removed posts whose outcomes are all known."""
    connection.execute(delete(removed_posts).where(~_UNRESOLVED))
