"""Connected accounts and the browser flows that connect them."""

from sqlalchemy import (
    Boolean,
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
)

from app.database import JsonText, UtcMillis
from app.database.indexes import partial_index
from app.service.store.tables.metadata import metadata

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
    Column("renew_at", UtcMillis),  # when the tokens are due to be renewed; null: never
    Column("renewing_until", UtcMillis),  # one process renews at a time; it moves this on while it does
    Column("doubted_at", UtcMillis),  # since when calls are refused although nothing says why
    Column("tiktok", JsonText),  # the choice for posts that have none of their own; null: none
    Column("created_at", UtcMillis, nullable=False),
    UniqueConstraint("account_id", "platform", "account_identifier"),
    Index("ix_connections_page", "account_id", "created_at", "id"),
    Index("ix_connections_platform_page", "account_id", "platform", "created_at", "id"),
    Index("ix_connections_available_page", "account_id", "is_available", "created_at", "id"),
    Index(
        "ix_connections_available_platform_page", "account_id", "is_available", "platform", "created_at", "id"
    ),
    Index("ix_connections_renewal", "renew_at"),
    partial_index("ix_connections_doubted", "doubted_at", where="doubted_at IS NOT NULL"),
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
    Column("reauthorizes", Uuid),  # the connection that is authorized again; null: a new one
    Column("stage", String(20), nullable=False),  # see connections/ends.py
    Column("choice_hash", String(64), unique=True),  # of the secret in the choice page's address
    Column("offered", LargeBinary),  # what can be chosen, with its tokens; sealed with the connection's id
    Column("outcome_words", Text),  # what the closing page says about it
    Column("result_connection_id", Uuid),  # the connected account, which may have been there before
    Column("created_at", UtcMillis, nullable=False),
    Column("expires_at", UtcMillis, nullable=False),
)
