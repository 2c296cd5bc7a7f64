"""The list of posts."""

from typing import Final

from app.service.api.listing import Listing
from app.service.posts.rows import POST_COLUMNS
from app.service.store.tables import posts

POSTS: Final = Listing(posts, POST_COLUMNS, filters=("status", "platform", "batch_id"))
"""The posts of an account, by the filters of the contract's PostListQuery."""
