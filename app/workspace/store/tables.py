"""Every table of the workspace, as SQLAlchemy Core sees it."""

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Integer, MetaData, Table, Text

from app.database import UtcMillis

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

posts = Table(
    # What the service last said of each post; of one that it does not have yet, what it shall be.
    "posts",
    metadata,
    Column("key", Text, primary_key=True),
    Column("service_id", Text, unique=True),  # null: the service does not have it
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
)

outbox = Table(
    # What is wanted of a post and not confirmed: one row per post, see app.workspace.outbox.intention.
    "outbox",
    metadata,
    Column("key", ForeignKey("posts.key", ondelete="CASCADE"), primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("cancelled", Boolean, nullable=False),
    Column("version", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("create_at", BigInteger),
)

undo_steps = Table(
    "undo_steps",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("done", Boolean, nullable=False),  # false: it was taken back and can be done again
    Column("label", Text, nullable=False),
    Column("edits", Text, nullable=False),  # JSON
)

accounts = Table(
    # Rows stay when an account is gone, so that it has its colour again when it comes back.
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
    Column("listed", Boolean, nullable=False),
)

settings = Table(
    "settings",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),  # JSON
)
