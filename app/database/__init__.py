"""Databases: opening, transactions, group commit and migrations, for every package that stores rows.

Uses SQLAlchemy Core synchronously in threads; callers await. Imports no other package of the app.
"""

from app.database.database import Database
from app.database.dialects import JsonText, UtcMillis, is_one_of
from app.database.errors import (
    DatabaseBusyError,
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
    "DatabaseBusyError",
    "DatabaseDamagedError",
    "DatabaseError",
    "DatabaseNewerError",
    "DatabaseRefusedError",
    "DatabaseUnreachableError",
    "DiskFullError",
    "JsonText",
    "Migrations",
    "UtcMillis",
    "is_one_of",
]
