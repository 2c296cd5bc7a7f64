"""What all processes of an installation have in common, and what changed lately."""

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, String, Table, Text, Uuid

from app.database import UtcMillis
from app.service.store.tables.metadata import metadata

installation = Table(
    # One row: it opens with the key that every process must have.
    "installation",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("seal_check", LargeBinary, nullable=False),  # sealed with the row's id
)

marks = Table(
    # Facts about the database itself: whether it is a copy, and when it was restored.
    "marks",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)

changes = Table(
    # Written by triggers, so that no writer can forget; the numbers run in the order of commits.
    "changes",
    metadata,
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("account_id", Uuid, nullable=False),  # no reference: the rows that changed have one
    Column("kind", String(30), nullable=False),
    Column("subject", Text, nullable=False),  # the id of what changed; of a file, its storage path
    Column("created_at", UtcMillis, nullable=False),
    Index("ix_changes_account", "account_id", "seq"),
    # A number that is given once is never given again, also when all rows are gone.
    sqlite_autoincrement=True,
)
