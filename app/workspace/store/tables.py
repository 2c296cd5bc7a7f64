"""The workspace's tables for SQLAlchemy Core, their migrations, and small values stored by name."""

from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    delete,
    false,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert

from app.database import Migrations, UtcMillis

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

posts = Table(
    # Each post as last returned by the service, or as planned if the service doesn't have it yet.
    "posts",
    metadata,
    Column("key", Text, primary_key=True),
    Column("service_id", Text, unique=True),  # null: the service doesn't have it
    Column("account_key", Text, nullable=False),
    Column("platform", Text, nullable=False),
    Column("post_type", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("title", Text),
    Column("description", Text),
    Column("headline", Text, nullable=False),  # so that a calendar is read without its texts
    Column("at", BigInteger, nullable=False),  # milliseconds; read a hundred thousand at a time
    Column("posted_at", UtcMillis),
    Column("media_storage_path", Text, nullable=False),
    Column("batch_id", Text),
    Column("created_at", UtcMillis, nullable=False),
    Column("reason", Text, nullable=False),
    Column("may_be_live", Boolean, nullable=False),
    Column("immediate", Boolean, nullable=False),  # planned here, to be published without a time
    Column("idempotency_key", Text, unique=True),  # planned here
    Column("board_id", Text),  # the service never returns these three; null: unknown
    Column("board_name", Text),
    Column("link", Text),
    Column("tiktok", Text),  # JSON: what was chosen for TikTok; "" for nothing, null: unknown
    Column("options", Text),  # JSON: options of a companion network; "" for none, null: unknown
    Column("by_hand", Boolean, nullable=False, server_default=false()),  # the user publishes it
    Index("ix_posts_media_storage_path", "media_storage_path"),
)

outbox = Table(
    # An unconfirmed wish for a post: one row per post, see app.workspace.outbox.intention.
    "outbox",
    metadata,
    Column("key", ForeignKey("posts.key", ondelete="CASCADE"), primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("cancelled", Boolean, nullable=False),
    Column("version", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("create_at", BigInteger),
    Column("seen_at", BigInteger),  # what the service had when this was wanted; null: it had nothing
    Column("seen_cancelled", Boolean),
    Column("sent", Text, nullable=False, server_default="[]"),  # JSON: what was sent and not confirmed
    Column("after", Text, nullable=False, server_default=""),  # key of a post to create first
)

late_calls = Table(
    # Calls without a response that may still be carried out, see app.workspace.outbox.unanswered.
    "late_calls",
    metadata,
    Column("key", ForeignKey("posts.key", ondelete="CASCADE"), primary_key=True),
    Column("at", BigInteger, nullable=False),  # with `cancelled`: what the service last confirmed
    Column("cancelled", Boolean, nullable=False),
    Column("calls", Text, nullable=False),  # JSON: time, cancelled, and until when it may be carried out
)

undo_steps = Table(
    "undo_steps",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("done", Boolean, nullable=False),  # false: it was undone and can be redone
    Column("label", Text, nullable=False),  # in the language in which it was done
    Column("edits", Text, nullable=False),  # JSON
    Column("made_at", BigInteger, nullable=False, server_default="0"),  # milliseconds
    Column("doing", Text, nullable=False, server_default=""),  # "" if only the label says
    Column("number", Integer, nullable=False, server_default="1"),  # number of posts in the label
)

accounts = Table(
    # Rows stay when an account is removed, so that it gets its colour again if it returns.
    "accounts",
    metadata,
    Column("key", Text, primary_key=True),
    Column("platform", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("handle", Text),
    Column("identifier", Text, nullable=False),
    Column("avatar_url", Text),
    Column("followers", Integer),
    Column("is_verified", Boolean),
    Column("is_available", Boolean, nullable=False),
    Column("token_expires_at", UtcMillis),
    Column("connected_at", UtcMillis, nullable=False),
    Column("color_index", Integer, nullable=False),
    Column("practice", Boolean, nullable=False),
    Column("server_limits", Text, nullable=False, server_default=""),  # JSON; "" if it never named any
    Column("listed", Boolean, nullable=False),
    Column("sign_in_by", UtcMillis),
)

settings = Table(
    "settings",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),  # JSON
)

drafts = Table(
    "drafts",
    metadata,
    Column("id", Text, primary_key=True),
    Column("content", Text, nullable=False),  # JSON
    Column("words", Text, nullable=False),  # everything that can be searched
    Column("created_at", BigInteger, nullable=False),  # milliseconds
    Column("updated_at", BigInteger, nullable=False),
)

slots = Table(
    # Weekly posting times of an account, on the wall clock.
    "slots",
    metadata,
    Column("account_key", Text, primary_key=True),
    Column("weekday", Integer, primary_key=True, autoincrement=False),  # 0 is Monday
    Column("minute", Integer, primary_key=True, autoincrement=False),  # of the day
)

media = Table(
    # Files that were uploaded here, listed by the service, or used by posts (a trigger adds those).
    "media",
    metadata,
    Column("storage_path", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("content_type", Text),
    Column("size_bytes", BigInteger),
    Column("width", Integer),
    Column("height", Integer),
    Column("duration_ms", BigInteger),
    Column("alt_text", Text),
    Column("cover_ms", BigInteger),
    Column("created_at", UtcMillis),
)

uploads = Table(
    # Local files being uploaded, and uploaded ones that drafts still use.
    "uploads",
    metadata,
    Column("id", Text, primary_key=True),
    Column("path", Text, nullable=False),  # its bytes, percent-encoded
    Column("name", Text, nullable=False),
    Column("post_type", Text, nullable=False),
    Column("content_type", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("modified_ns", BigInteger, nullable=False),
    Column("added_at", BigInteger, nullable=False),  # milliseconds
    Column("width", Integer),
    Column("height", Integer),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("storage_path", Text, nullable=False),  # empty until a path is reserved
    Column("fingerprint", Text, nullable=False, server_default=""),  # of its content; empty: unknown
)

content = Table(
    # Published content, from the service's content history.
    "content",
    metadata,
    Column("id", Text, primary_key=True),
    Column("platform", Text, nullable=False),
    Column("content_id", Text, nullable=False),
    Column("scheduled_post_id", Text),
    Column("title", Text),
    Column("description", Text),
    Column("media_url", Text),
    Column("media_type", Text),
    Column("status", Text),
    Column("batch_id", Text),
    Column("created_via", Text, nullable=False),
    Column("created_at", UtcMillis, nullable=False),
    Index("ix_content_created_at", "created_at"),
)

metrics = Table(
    # Samples of metrics, one row per sample.
    "metrics",
    metadata,
    Column("id", Text, primary_key=True),
    Column("platform", Text, nullable=False),
    Column("content_id", Text),
    Column("metric_date", Text, nullable=False),  # ISO day
    Column("views", BigInteger, nullable=False),
    Column("likes", BigInteger, nullable=False),
    Column("comments", BigInteger, nullable=False),
    Column("shares", BigInteger, nullable=False),
    Column("subscribers", BigInteger, nullable=False),
    Column("created_at", UtcMillis, nullable=False),
    Index("ix_metrics_metric_date", "metric_date"),
    Index("ix_metrics_content_id_platform_metric_date", "content_id", "platform", "metric_date"),
)

metric_days = Table(
    # A day's samples in one row, made from ``metrics``: see app.workspace.analytics.rows.
    "metric_days",
    metadata,
    Column("metric_date", Text, primary_key=True),  # ISO day
    Column("samples", LargeBinary, nullable=False),
)

usage_readings = Table(
    # The service's counts at a moment, at most one per hour.
    "usage_readings",
    metadata,
    Column("at", BigInteger, primary_key=True, autoincrement=False),  # milliseconds
    Column("calls", BigInteger, nullable=False),  # of all actions in their period, which starts at 0 again
    Column("used_bytes", BigInteger, nullable=False),
)

WORD_INDEXES = {
    "posts": ("title", "description"),
    "drafts": ("words",),
    "media": ("name", "alt_text"),
    "content": ("title", "description"),
}
"""The searchable columns by table: ``posts`` through the FTS5 table ``posts_words``, and so on."""
MIGRATIONS = Migrations(folder=Path(__file__).parent / "migrations", metadata=metadata)


T = TypeVar("T")


def get_setting(connection: Connection, name: str, shape: TypeAdapter[T]) -> T | None:
    """Return the value of a name; None if it's missing or has another shape."""
    kept = connection.scalar(select(settings.c.value).where(settings.c.name == name))
    if kept is None:
        return None
    try:
        return shape.validate_json(kept)
    except ValidationError:
        return None


def has_setting(connection: Connection, name: str) -> bool:
    """Whether a name has a value, of any shape."""
    return connection.scalar(select(settings.c.name).where(settings.c.name == name)) is not None


def rename_setting(connection: Connection, name: str, new: str) -> None:
    """Give a value another name, replacing an earlier value of that name."""
    connection.execute(delete(settings).where(settings.c.name == new))
    connection.execute(update(settings).where(settings.c.name == name).values(name=new))


def put_setting(connection: Connection, name: str, value: T | None, shape: TypeAdapter[T]) -> None:
    """Store a value; None deletes it."""
    if value is None:
        connection.execute(delete(settings).where(settings.c.name == name))
        return
    put = insert(settings).values(name=name, value=shape.dump_json(value).decode())
    connection.execute(put.on_conflict_do_update(index_elements=["name"], set_={"value": put.excluded.value}))
