"""SQL for posts: the columns of the contract's Post, and finding one."""

from uuid import UUID

from sqlalchemy import Connection, bindparam, select

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

_ONE = {
    reach: select(*POST_COLUMNS).where(
        posts.c.id == bindparam("post_id"),
        posts.c.account_id == bindparam("account_id"),
        reach.takes(posts.c.platform),
    )
    for reach in Reach
}


def find_post(
    connection: Connection, account_id: UUID, post_id: UUID, reach: Reach = Reach.SPECIFIED
) -> Post:
    """Return a post. Raises ApiError (404) if the account has no such post within reach."""
    row = connection.execute(_ONE[reach], {"post_id": post_id, "account_id": account_id}).one_or_none()
    if row is None:
        raise not_found("post")
    return Post.model_validate(row, from_attributes=True)
