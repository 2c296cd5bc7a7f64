"""Accounts, API keys, usage, and sign-in on the service's pages."""

from typing import Final

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, String, Table, Text, Uuid

from app.contract.limits import API_KEY_NAME_MAX
from app.database import UtcMillis
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
