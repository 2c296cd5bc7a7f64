"""Samples of how published content does."""

from sqlalchemy import (
    BigInteger,
    Column,
    Date,
    ForeignKey,
    Index,
    String,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
)

from app.database import UtcMillis
from app.service.store.tables.metadata import metadata

metrics = Table(
    # One row for an item and a day (UTC); a later sample of the day takes the place of an earlier one.
    "metrics",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("connection_id", ForeignKey("connections.id"), nullable=False),
    Column("platform", String(20), nullable=False),
    Column("content_id", Text, nullable=False),
    Column("metric_date", Date, nullable=False),
    # What a platform does not tell is 0.
    Column("views", BigInteger, nullable=False),
    Column("likes", BigInteger, nullable=False),
    Column("comments", BigInteger, nullable=False),
    Column("shares", BigInteger, nullable=False),
    Column("subscribers", BigInteger, nullable=False),
    Column("created_at", UtcMillis, nullable=False),
    UniqueConstraint("connection_id", "content_id", "metric_date"),
    Index("ix_metrics_page", "account_id", "metric_date", "id"),
    Index("ix_metrics_platform_page", "account_id", "platform", "metric_date", "id"),
    Index("ix_metrics_content_page", "account_id", "content_id", "metric_date", "id"),
)
