"""How people sign in on the service's pages. What lets somebody in is kept as a hash alone."""

from sqlalchemy import Column, ForeignKey, Integer, String, Table, Text, Uuid

from app.database import UtcMillis
from app.service.store.tables.accounts import ACCOUNT_NAME_MAX
from app.service.store.tables.metadata import metadata

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
    Column("created_by", Uuid),  # the key that asked for it; null where a command did
)

sessions = Table(
    "sessions",
    metadata,
    Column("session_hash", String(64), primary_key=True),  # SHA-256, hexadecimal
    Column("account_id", ForeignKey("accounts.id"), nullable=False, index=True),
    Column("created_at", UtcMillis, nullable=False),
    Column("last_seen_at", UtcMillis, nullable=False),  # to within a minute
    Column("created_by", Uuid),  # the key whose link opened it, and with which it ends
)

sign_in_failures = Table(
    # Tries with a password that failed, by address and by login name, be there somebody of that name or not.
    "sign_in_failures",
    metadata,
    Column("subject_hash", String(64), primary_key=True),  # SHA-256, hexadecimal
    Column("times", Integer, nullable=False),
    Column("failed_at", UtcMillis, nullable=False),
)
