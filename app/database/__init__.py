"""Databases: opening, transactions, group commit and migrations, for every room that keeps rows.

SQLAlchemy Core, synchronous, in threads; callers await. Imports nothing of ours.
"""

from app.database.columns import JsonText, UtcMillis
from app.database.database import Database
from app.database.errors import (
    DatabaseDamagedError,
    DatabaseError,
    DatabaseNewerError,
    DatabaseRefusedError,
    DatabaseUnreachableError,
    DiskFullError,
)
from app.database.migrations import Migrations

__all__ = [
    "Database",
    "DatabaseDamagedError",
    "DatabaseError",
    "DatabaseNewerError",
    "DatabaseRefusedError",
    "DatabaseUnreachableError",
    "DiskFullError",
    "JsonText",
    "Migrations",
    "UtcMillis",
]
