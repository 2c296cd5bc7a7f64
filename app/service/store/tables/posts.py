"""Posts and the idempotency keys that created them."""

from sqlalchemy import Column, ForeignKey, Index, String, Table, Text, Uuid

from app.database import JsonText, UtcMillis
from app.database.indexes import partial_index
from app.service.store.tables.metadata import metadata

_IN_A_BATCH = "batch_id IS NOT NULL"

posts = Table(
    "posts",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("connection_id", ForeignKey("connections.id"), nullable=False),
    Column("platform", String(20), nullable=False),
    Column("post_type", String(20), nullable=False),
    Column("status", String(20), nullable=False),
    Column("title", Text),
    Column("description", Text),
    Column("scheduled_at", UtcMillis, nullable=False),  # the one truth about when a post is due
    Column("posted_at", UtcMillis),
    Column("media_storage_path", Text, nullable=False, default=""),
    Column("batch_id", Text),
    Column("pinterest_board_id", Text),
    Column("pinterest_board_name", Text),
    Column("pinterest_link", Text),
    Column("tiktok", JsonText),  # what its file's choice was when the post was created; null: none
    Column("created_via", String(10), nullable=False),
    Column("created_at", UtcMillis, nullable=False),
    # While a worker has the post, or holds it back until a retry, nobody else takes it before this time.
    Column("claimed_by", Uuid),
    Column("claimed_until", UtcMillis),
    Index("ix_posts_page", "account_id", "created_at", "id"),
    Index("ix_posts_status_page", "account_id", "status", "created_at", "id"),
    Index("ix_posts_batch_page", "account_id", "batch_id", "created_at", "id"),
    # Each combination of filters that the list of posts has, in the order in which the list runs.
    Index("ix_posts_platform_page", "account_id", "platform", "created_at", "id"),
    Index("ix_posts_status_platform_page", "account_id", "status", "platform", "created_at", "id"),
    partial_index(
        "ix_posts_batch_status_page",
        "account_id",
        "batch_id",
        "status",
        "created_at",
        "id",
        where=_IN_A_BATCH,
    ),
    partial_index(
        "ix_posts_batch_platform_page",
        "account_id",
        "batch_id",
        "platform",
        "created_at",
        "id",
        where=_IN_A_BATCH,
    ),
    partial_index(
        "ix_posts_batch_status_platform_page",
        "account_id",
        "batch_id",
        "status",
        "platform",
        "created_at",
        "id",
        where=_IN_A_BATCH,
    ),
    Index("ix_posts_calendar", "account_id", "scheduled_at", "id"),
    Index("ix_posts_due", "status", "scheduled_at"),
    partial_index("ix_posts_claimed", "claimed_until", where="claimed_until IS NOT NULL"),
    partial_index("ix_posts_media", "media_storage_path", where="media_storage_path <> ''"),
    partial_index(
        "ix_posts_to_prepare",
        "scheduled_at",
        where="status = 'scheduled' AND media_storage_path <> ''",
    ),
)

removed_posts = Table(
    # What posts said that were deleted for good during a call, until it is known what became of that.
    "removed_posts",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("connection_id", ForeignKey("connections.id"), nullable=False),
    Column("platform", String(20), nullable=False),
    Column("post_type", String(20), nullable=False),
    Column("title", Text),
    Column("description", Text),
    Column("scheduled_at", UtcMillis, nullable=False),
    Column("media_storage_path", Text, nullable=False),
    Column("batch_id", Text),
    Column("pinterest_board_id", Text),
    Column("pinterest_board_name", Text),
    Column("pinterest_link", Text),
    Column("created_via", String(10), nullable=False),
    Column("claimed_until", UtcMillis),  # somebody looks on the platform; nobody else does before
)

idempotency_keys = Table(
    # Kept apart from the posts, so that a deleted post is not created again by a late retry.
    "idempotency_keys",
    metadata,
    Column("account_id", ForeignKey("accounts.id"), primary_key=True),
    Column("idempotency_key", String(200), primary_key=True),
    Column("request_hash", String(64), nullable=False),
    Column("post_id", Uuid, nullable=False),
    Column("created_at", UtcMillis, nullable=False),
)
