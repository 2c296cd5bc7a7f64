"""SQL for posts: the columns of the contract's Post, and finding one."""

from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, bindparam, select
from sqlalchemy.sql.elements import NamedColumn

from app.contract.companion import AnyPost
from app.contract.posts import Post
from app.service.api.responses import not_found
from app.service.store.reach import Reach
from app.service.store.tables import posts

POST_COLUMNS = (
    posts.c.id,
    posts.c.status,
    posts.c.platform,
    posts.c.post_type,
    posts.c.title,
    posts.c.description,
    posts.c.scheduled_at,
    posts.c.posted_at,
    posts.c.connection_id.label("social_account_id"),
    posts.c.media_storage_path,
    posts.c.batch_id,
    posts.c.created_at,
)
"""Named like the fields of the contract's Post."""

ANY_POST_COLUMNS = (*POST_COLUMNS, posts.c.options, posts.c.by_hand)
"""Named like the fields of the companion API's AnyPost."""


def columns_of(reach: Reach) -> tuple[NamedColumn[Any], ...]:
    """Return the columns of posts within reach."""
    return POST_COLUMNS if reach is Reach.SPECIFIED else ANY_POST_COLUMNS


_ONE = {
    reach: select(*columns_of(reach)).where(
        posts.c.id == bindparam("post_id"),
        posts.c.account_id == bindparam("account_id"),
        reach.takes(posts.c.platform),
    )
    for reach in Reach
}


def as_post(row: Row[*tuple[Any, ...]], reach: Reach = Reach.SPECIFIED) -> Post:
    """Convert a row of ``columns_of`` to the contract's Post, or the companion API's AnyPost."""
    model = Post if reach is Reach.SPECIFIED else AnyPost
    return model.model_validate(row, from_attributes=True)


def find_post(
    connection: Connection, account_id: UUID, post_id: UUID, reach: Reach = Reach.SPECIFIED
) -> Post:
    """Return a post. Raises ApiError (404) if the account has no such post within reach."""
    row = connection.execute(_ONE[reach], {"post_id": post_id, "account_id": account_id}).one_or_none()
    if row is None:
        raise not_found("post")
    return as_post(row, reach)
