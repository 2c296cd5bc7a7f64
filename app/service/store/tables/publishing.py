"""Attempts to publish, and what was published."""

from sqlalchemy import (
    Column,
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

from app.database import UtcMillis
from app.database.indexes import partial_index
from app.service.store.tables.metadata import metadata

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
    # How far uploads to a platform have come, so that a restart goes on instead of beginning anew.
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
