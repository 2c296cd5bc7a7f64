"""What all processes of an installation have in common."""

from sqlalchemy import Column, LargeBinary, Table, Uuid

from app.service.store.tables.metadata import metadata

installation = Table(
    # One row on a server install: it opens with the key that every process must have.
    "installation",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("seal_check", LargeBinary, nullable=False),  # sealed with the row's id
)
