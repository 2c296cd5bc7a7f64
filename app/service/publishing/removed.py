"""Posts that were deleted for good while nobody knew what became of a call: the SQL of ``removed_posts``.

What the call published still belongs into the content history, and only with the post's text can it be found
on the platform. So what it said is kept until that is known, and for that alone.
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
    """Takes removed posts whose calls are to be looked into; nobody else looks before ``until``.

    They count as cancelled: nothing of them is sent again. ``carried`` are in hand already. A claim that ends
    after ``until`` is from before the clock was set back.
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
    """Lets go of what those said of which everything is known."""
    connection.execute(delete(removed_posts).where(~_UNRESOLVED))
