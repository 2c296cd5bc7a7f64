"""The samples of one post as rows."""

from uuid import UUID

from sqlalchemy import Connection, select

from app.contract.posts import PostAnalytics, PostMetric
from app.service.api.errors import not_found
from app.service.posts.rows import find_post
from app.service.store.tables import contents, metrics

_NUMBERS = (metrics.c.views, metrics.c.likes, metrics.c.comments, metrics.c.shares, metrics.c.subscribers)


def of_post(connection: Connection, account_id: UUID, post_id: UUID) -> PostAnalytics:
    """Every sample of what a post put on its platform, newest first.

    Raises ApiError (404) when the account has no such post, or nothing of it is published yet.
    """
    find_post(connection, account_id, post_id)
    content = connection.execute(
        select(contents.c.connection_id, contents.c.content_id)
        .where(contents.c.post_id == post_id, contents.c.account_id == account_id)
        .order_by(contents.c.created_at.desc())
        .limit(1)
    ).one_or_none()
    if content is None:
        raise not_found("published content of this post")
    samples = connection.execute(
        select(metrics.c.metric_date, *_NUMBERS)
        .where(
            metrics.c.connection_id == content.connection_id,
            metrics.c.content_id == content.content_id,
        )
        .order_by(metrics.c.metric_date.desc())
    )
    return PostAnalytics(
        post_id=post_id,
        content_id=content.content_id,
        metrics=[PostMetric.model_validate(row, from_attributes=True) for row in samples],
    )
