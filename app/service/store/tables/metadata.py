"""The metadata of all tables, and data shared by all processes of an installation."""

from sqlalchemy import (
    BigInteger,
    Column,
    FetchedValue,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    Uuid,
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


installation = Table(
    # One row, encrypted with the key that every process must have.
    "installation",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("seal_check", LargeBinary, nullable=False),  # encrypted with the row's id
)

marks = Table(
    # Facts about the database itself: whether it is a copy, and when it was restored.
    "marks",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)

changes = Table(
    # Written by triggers, so that no writer can forget to; only a post's arrival in an inbox, which changes
    # no column of the post, is written by `endings`. On PostgreSQL, several transactions write at the
    # same time, so the order is that of transactions, and a reader stops before the oldest running one.
    "changes",
    metadata,
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("account_id", Uuid, nullable=False),  # no foreign key: the changed rows have one
    Column("kind", String(30), nullable=False),
    Column("subject", Text, nullable=False),  # the id of the changed object; for a file, its storage path
    Column("created_at", UtcMillis, nullable=False),
    # 0 on SQLite, where numbers are in the order of commits, and for changes before this column.
    Column("transaction_id", BigInteger, nullable=False, server_default=FetchedValue()),
    Index("ix_changes_account", "account_id", "transaction_id", "seq"),
    Index("ix_changes_transaction", "transaction_id", "seq"),
    # Numbers are never reused, even when all rows are deleted.
    sqlite_autoincrement=True,
)
