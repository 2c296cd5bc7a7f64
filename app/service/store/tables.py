"""Every table of the service, as SQLAlchemy Core sees it."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)

from app.database import UtcMillis

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

accounts = Table(
    "accounts",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("name", String(200), nullable=False),
    Column("plan", String(40), nullable=False),
    Column("status", String(20), nullable=False),
    Column("current_period_end", UtcMillis),
    Column("storage_cap_bytes", BigInteger),  # null: the plan decides
    Column("created_at", UtcMillis, nullable=False),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False, index=True),
    Column("key_hash", String(64), nullable=False, unique=True),  # SHA-256 of the whole key, hexadecimal
    Column("scope", String(20), nullable=False),
    Column("expires_at", UtcMillis),
    Column("revoked_at", UtcMillis),
    Column("created_at", UtcMillis, nullable=False),
)

connections = Table(
    "connections",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("platform", String(20), nullable=False),
    Column("account_identifier", String(200), nullable=False),
    Column("display_name", Text),
    Column("username", Text),
    Column("avatar_url", Text),
    Column("is_verified", Boolean),
    Column("follower_count", Integer),
    Column("is_available", Boolean, nullable=False),
    Column("token_expires_at", UtcMillis),
    Column("access_token", LargeBinary, nullable=False),  # sealed with the row's id
    Column("refresh_token", LargeBinary),  # sealed with the row's id
    Column("created_at", UtcMillis, nullable=False),
    UniqueConstraint("account_id", "platform", "account_identifier"),
    Index("ix_connections_page", "account_id", "created_at", "id"),
)

connection_flows = Table(
    # A browser flow: the pending connection, and for a day what became of it, for a page that is reloaded.
    "connection_flows",
    metadata,
    Column("connection_id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("platform", String(20), nullable=False),
    Column("state_hash", String(64), nullable=False, unique=True),
    Column("code_verifier", LargeBinary, nullable=False),  # sealed with the connection's id
    Column("callback_url", Text, nullable=False),  # what the platform was told to come back to
    Column("redirect_url", Text),  # where the browser goes in the end; null: our closing page
    Column("stage", String(20), nullable=False),  # waiting, exchanging, connected, denied, failed
    Column("outcome_words", Text),  # what the closing page says about it
    Column("result_connection_id", Uuid),  # the connected account, which may have been there before
    Column("created_at", UtcMillis, nullable=False),
    Column("expires_at", UtcMillis, nullable=False),
)

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
    Column("created_via", String(10), nullable=False),
    Column("created_at", UtcMillis, nullable=False),
    # While a worker has the post, or holds it back until a retry, nobody else takes it before this time.
    Column("claimed_by", Uuid),
    Column("claimed_until", UtcMillis),
    Index("ix_posts_page", "account_id", "created_at", "id"),
    Index("ix_posts_status_page", "account_id", "status", "created_at", "id"),
    Index("ix_posts_batch_page", "account_id", "batch_id", "created_at", "id"),
    Index("ix_posts_due", "status", "scheduled_at"),
    Index(
        "ix_posts_claimed",
        "claimed_until",
        sqlite_where=text("claimed_until IS NOT NULL"),
        postgresql_where=text("claimed_until IS NOT NULL"),
    ),
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
    Column("absent_since", UtcMillis),  # when a look on the platform first found nothing
    Column("content_id", Text),
    Column("platform_code", Text),
    Column("platform_message", Text),
    Column("advice", Text),
    Index(
        "ix_attempts_open",
        "post_id",
        sqlite_where=text("finished_at IS NULL"),
        postgresql_where=text("finished_at IS NULL"),
    ),
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
    Column("post_id", Uuid, index=True),
    Column("title", Text),
    Column("description", Text),
    Column("media_url", Text),
    Column("media_type", String(20)),
    Column("status", Text),
    Column("batch_id", Text),
    Column("created_via", String(10), nullable=False),
    Column("created_at", UtcMillis, nullable=False),
    UniqueConstraint("connection_id", "content_id"),
    Index("ix_contents_page", "account_id", "created_at", "id"),
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

usage_counters = Table(
    "usage_counters",
    metadata,
    Column("account_id", ForeignKey("accounts.id"), primary_key=True),
    Column("period", String(7), primary_key=True),  # the month, as 2026-11
    Column("action", String(60), primary_key=True),
    Column("count", BigInteger, nullable=False),
)
