"""Accounts, API keys, usage, sign-in on the service's pages, and connected accounts."""

from typing import Final

from sqlalchemy import (
    BigInteger,
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
    text,
)

from app.contract.limits import ACCOUNT_IDENTIFIER_MAX, API_KEY_NAME_MAX
from app.database import JsonText, UtcMillis
from app.database.dialects import partial_index
from app.service.store.tables.metadata import metadata

ACCOUNT_NAME_MAX: Final = 200

accounts = Table(
    "accounts",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("name", String(ACCOUNT_NAME_MAX), nullable=False),
    Column("plan", String(40), nullable=False),
    Column("status", String(20), nullable=False),
    Column("current_period_end", UtcMillis),
    Column("storage_cap_bytes", BigInteger),  # null: the plan decides
    Column("created_at", UtcMillis, nullable=False),
    Column("paused_at", UtcMillis),  # since when nothing is published; null: it isn't paused
    # since when another service has the account, or it's on its way here; null: it's here
    Column("moved_at", UtcMillis),
    Column("moves", Integer, nullable=False, server_default=text("0")),  # how often it was handed over
    partial_index("ix_accounts_paused", "paused_at", where="paused_at IS NOT NULL"),
    partial_index("ix_accounts_moved", "moved_at", where="moved_at IS NOT NULL"),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False, index=True),
    Column("name", String(API_KEY_NAME_MAX)),
    Column("hint", String(4)),  # the key's last characters
    Column("key_hash", String(64), nullable=False, unique=True),  # SHA-256 of the whole key, hexadecimal
    Column("scope", String(20), nullable=False),
    Column("expires_at", UtcMillis),
    Column("revoked_at", UtcMillis),
    Column("last_used_at", UtcMillis),  # to within a few minutes
    Column("created_at", UtcMillis, nullable=False),
    Column("created_by", Uuid),  # the key that created it; null if a user or a command did
)

usage_counters = Table(
    "usage_counters",
    metadata,
    Column("account_id", ForeignKey("accounts.id"), primary_key=True),
    Column("period", String(7), primary_key=True),  # the month, as 2026-11
    Column("action", String(60), primary_key=True),
    Column("count", BigInteger, nullable=False),
)

passwords = Table(
    "passwords",
    metadata,
    Column("account_id", Uuid, ForeignKey("accounts.id"), primary_key=True),
    Column("login", String(ACCOUNT_NAME_MAX), nullable=False, unique=True),  # folded
    Column("password_hash", Text, nullable=False),  # argon2id, with its parameters and salt
    Column("changed_at", UtcMillis, nullable=False),
)

sign_in_links = Table(
    "sign_in_links",
    metadata,
    Column("link_hash", String(64), primary_key=True),  # SHA-256, hexadecimal
    Column("account_id", ForeignKey("accounts.id"), nullable=False, index=True),
    Column("expires_at", UtcMillis, nullable=False),
    Column("created_by", Uuid),  # the key that requested it; null if a command did
)

sessions = Table(
    "sessions",
    metadata,
    Column("session_hash", String(64), primary_key=True),  # SHA-256, hexadecimal
    Column("account_id", ForeignKey("accounts.id"), nullable=False, index=True),
    Column("created_at", UtcMillis, nullable=False),
    Column("last_seen_at", UtcMillis, nullable=False),  # to within a minute
    Column("created_by", Uuid),  # the key whose link opened it; revoking the key ends the session
)

sign_in_failures = Table(
    # Failed sign-ins by address and by login name, including names that don't exist.
    "sign_in_failures",
    metadata,
    Column("subject_hash", String(64), primary_key=True),  # SHA-256, hexadecimal
    Column("times", Integer, nullable=False),
    Column("failed_at", UtcMillis, nullable=False),
)


connections = Table(
    "connections",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("platform", String(20), nullable=False),
    Column("account_identifier", String(ACCOUNT_IDENTIFIER_MAX), nullable=False),
    Column("display_name", Text),
    Column("username", Text),
    Column("avatar_url", Text),
    Column("is_verified", Boolean),
    Column("follower_count", Integer),
    Column("is_available", Boolean, nullable=False),
    Column("token_expires_at", UtcMillis),
    Column("access_token", LargeBinary, nullable=False),  # encrypted with the row's id
    Column("refresh_token", LargeBinary),  # encrypted with the row's id
    # when the user has to sign in again although the tokens can be renewed until then; null: never
    Column("sign_in_by", UtcMillis),
    Column("renew_at", UtcMillis),  # when to renew the tokens; null: never
    Column("renewing_until", UtcMillis),  # lease of the renewal, extended while it runs
    Column("doubted_at", UtcMillis),  # since when calls are refused for an unknown reason
    Column("inbox", Boolean),  # whether posts go to the user's inbox on the platform; null: the default
    # the only way to publish that the user's consent covers: ``inbox`` or ``direct``; null: both, or unknown
    Column("only_way", String(10)),
    Column("tiktok", JsonText),  # default choice for posts; null: none
    Column("limits", JsonText),  # of the account's server; null: unknown, or the same everywhere
    Column("created_at", UtcMillis, nullable=False),
    Column("paused_at", UtcMillis),  # since when nothing is published; null: it isn't paused
    UniqueConstraint("account_id", "platform", "account_identifier"),
    Index("ix_connections_page", "account_id", "created_at", "id"),
    Index("ix_connections_platform_page", "account_id", "platform", "created_at", "id"),
    Index("ix_connections_available_page", "account_id", "is_available", "created_at", "id"),
    Index(
        "ix_connections_available_platform_page", "account_id", "is_available", "platform", "created_at", "id"
    ),
    Index("ix_connections_renewal", "renew_at"),
    partial_index("ix_connections_paused", "paused_at", where="paused_at IS NOT NULL"),
    partial_index("ix_connections_doubted", "doubted_at", where="doubted_at IS NOT NULL"),
)

connection_flows = Table(
    # A browser flow: the pending connection, and for a day its result, in case the page is reloaded.
    "connection_flows",
    metadata,
    Column("connection_id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("platform", String(20), nullable=False),
    Column("state_hash", String(64), nullable=False, unique=True),
    Column("code_verifier", LargeBinary, nullable=False),  # and what else the exchange needs; encrypted
    Column("callback_url", Text, nullable=False),  # the redirect URI sent to the platform
    Column("redirect_url", Text),  # where to send the browser at the end; null: our closing page
    Column("reauthorizes", Uuid),  # the connection being reauthorized; null: a new one
    Column("server", Text),  # origin of the server, on networks of many
    Column("stage", String(20), nullable=False),  # see connections/ends.py
    Column("choice_hash", String(64), unique=True),  # of the secret in the choice page's URL
    # the accounts to choose from, with their tokens; encrypted with the connection's id
    Column("offered", LargeBinary),
    Column("outcome_words", Text),  # the message on the closing page
    Column("result_connection_id", Uuid),  # the connected account, possibly an existing one
    Column("created_at", UtcMillis, nullable=False),
    Column("expires_at", UtcMillis, nullable=False),
)

server_apps = Table(
    # Apps that Kalends registered itself, at servers that users named.
    "server_apps",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("platform", String(20), nullable=False),
    Column("server", String(300), nullable=False),  # its origin
    Column("redirect_uri", String(500), nullable=False),
    Column("credentials", LargeBinary, nullable=False),  # encrypted with the row's id
    Column("created_at", UtcMillis, nullable=False),
    UniqueConstraint("platform", "server", "redirect_uri"),
)
