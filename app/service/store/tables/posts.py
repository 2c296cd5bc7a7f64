"""Posts, attempts to publish them, what was published, and its metrics."""

from sqlalchemy import (
    BigInteger,
    Column,
    Date,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)

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

attempts = Table(
    # One row per try to publish, committed before the irreversible call. It outlives a post that is deleted.
    # Open (no finished_at) means that nobody knows yet whether the call published.
    "attempts",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("post_id", Uuid, nullable=False, index=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("step", String(20), nullable=False),
    Column("outcome", String(20), nullable=False),
    Column("started_at", UtcMillis, nullable=False),
    Column("finished_at", UtcMillis),
    Column("unknown_since", UtcMillis),  # when the answer was found to be lost
    Column("content_id", Text),
    Column("platform_code", Text),
    Column("platform_message", Text),
    Column("advice", Text),
    partial_index("ix_attempts_open", "post_id", where="finished_at IS NULL"),
)

contents = Table(
    # What was published: the content history, and the proof that a platform's item is already accounted for.
    "contents",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("connection_id", ForeignKey("connections.id"), nullable=False),
    Column("platform", String(20), nullable=False),
    Column("content_id", Text, nullable=False),
    Column("url", Text),  # where people see it, as far as the platform tells
    Column("post_id", Uuid, index=True),
    Column("title", Text),
    Column("description", Text),
    Column("media_url", Text),
    Column("media_type", String(20)),
    Column("status", Text),
    Column("batch_id", Text),
    Column("created_via", String(10), nullable=False),
    Column("created_at", UtcMillis, nullable=False),
    Column("next_sample_at", UtcMillis),  # when its numbers are asked for again; null: no more
    UniqueConstraint("connection_id", "content_id"),
    Index("ix_contents_page", "account_id", "created_at", "id"),
    Index("ix_contents_platform_page", "account_id", "platform", "created_at", "id"),
    partial_index("ix_contents_next_sample", "next_sample_at", where="next_sample_at IS NOT NULL"),
)

publication_steps = Table(
    # Progress of uploads to a platform, so that a restart resumes them.
    "publication_steps",
    metadata,
    Column("post_id", Uuid, primary_key=True),
    Column("name", String(40), primary_key=True),
    Column("value", LargeBinary, nullable=False),  # sealed with the post's id: it may hold signed addresses
)

preparations = Table(
    # Who brings a post's file to its platform: a preparer ahead of time, or the publisher when it is due.
    "preparations",
    metadata,
    Column("post_id", Uuid, primary_key=True),
    Column("held_by", Uuid),  # who alone may write the post's steps
    Column("held_until", UtcMillis),  # a preparer's hold ends then; null: it may be taken
    Column("tries", Integer, nullable=False, server_default=text("0")),  # that failed ahead of time
    Column("next_at", UtcMillis),  # not tried again ahead of time before this
    Column("settled_at", UtcMillis),  # when the try began after which nothing is left to do ahead of time
)

metrics = Table(
    # One row for an item and a day (UTC); a later sample of the day takes the place of an earlier one.
    "metrics",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("connection_id", ForeignKey("connections.id"), nullable=False),
    Column("platform", String(20), nullable=False),
    Column("content_id", Text, nullable=False),
    Column("metric_date", Date, nullable=False),
    # What a platform does not tell is 0.
    Column("views", BigInteger, nullable=False),
    Column("likes", BigInteger, nullable=False),
    Column("comments", BigInteger, nullable=False),
    Column("shares", BigInteger, nullable=False),
    Column("subscribers", BigInteger, nullable=False),
    Column("created_at", UtcMillis, nullable=False),
    UniqueConstraint("connection_id", "content_id", "metric_date"),
    Index("ix_metrics_page", "account_id", "metric_date", "id"),
    Index("ix_metrics_platform_page", "account_id", "platform", "metric_date", "id"),
    Index("ix_metrics_content_page", "account_id", "content_id", "metric_date", "id"),
)
