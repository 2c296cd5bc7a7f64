"""Accounts, the keys that speak for them, and what they used."""

from typing import Final

from sqlalchemy import BigInteger, Column, ForeignKey, String, Table, Uuid

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
    Column("created_by", Uuid),  # the key that made it; null where a person or a command did
)

usage_counters = Table(
    "usage_counters",
    metadata,
    Column("account_id", ForeignKey("accounts.id"), primary_key=True),
    Column("period", String(7), primary_key=True),  # the month, as 2026-11
    Column("action", String(60), primary_key=True),
    Column("count", BigInteger, nullable=False),
)
