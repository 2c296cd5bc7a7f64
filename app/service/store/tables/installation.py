"""What all processes of an installation have in common."""

from sqlalchemy import Column, LargeBinary, String, Table, Text, Uuid

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
