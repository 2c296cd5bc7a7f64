"""Events, webhook subscriptions, and delivery attempts."""

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    Uuid,
)

from app.contract.limits import WEBHOOK_URL_MAX
from app.database import UtcMillis
from app.database.dialects import partial_index
from app.service.store.tables.metadata import metadata

events = Table(
    # What happened, written in the same transaction.
    "events",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("type", String(40), nullable=False),
    Column("data", Text, nullable=False),  # a JSON object, as delivered
    Column("created_at", UtcMillis, nullable=False, index=True),
    Index("ix_events_page", "account_id", "created_at", "id"),
)

webhook_subscriptions = Table(
    "webhook_subscriptions",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("url", String(WEBHOOK_URL_MAX), nullable=False),
    Column("events", JSON, nullable=False),  # list of event types
    Column("secret", LargeBinary, nullable=False),  # encrypted with the row's id
    Column("active", Boolean, nullable=False),
    Column("failure_count", Integer, nullable=False),
    Column("last_delivery_at", UtcMillis),
    Column("last_disabled_at", UtcMillis),
    Column("created_at", UtcMillis, nullable=False),
    Column("updated_at", UtcMillis, nullable=False),
    # One worker at a time delivers to a subscription; no other claims it before this time.
    Column("claimed_by", Uuid),
    Column("claimed_until", UtcMillis),
    Index("ix_webhook_subscriptions_page", "account_id", "created_at", "id"),
)

_WAITING = "next_attempt_at IS NOT NULL"
_LOGGED = "next_attempt_at IS NULL"

deliveries = Table(
    # One row per attempt. It is pending while it has a next_attempt_at, and part of the log afterwards.
    "deliveries",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("subscription_id", ForeignKey("webhook_subscriptions.id", ondelete="CASCADE"), nullable=False),
    Column("event_id", ForeignKey("events.id"), nullable=False, index=True),
    Column("event_type", String(40), nullable=False),
    Column("attempt", Integer, nullable=False),  # counts all attempts for the event, including replays
    Column("retry", Integer, nullable=False),  # 0 for the first attempt
    Column("next_attempt_at", UtcMillis),
    Column("status_code", Integer),
    Column("latency_ms", Integer),
    Column("delivered_at", UtcMillis),
    Column("failed_at", UtcMillis),
    Column("error_message", Text),
    Column("request_headers", JSON),  # as sent
    Column("request_body", LargeBinary),  # the bytes that were sent
    Column("created_at", UtcMillis, nullable=False, index=True),
    Index("ix_deliveries_page", "subscription_id", "created_at", "id"),
    partial_index("ix_deliveries_log", "subscription_id", "created_at", "id", where=_LOGGED),
    partial_index("ix_deliveries_next", "next_attempt_at", where=_WAITING),
    partial_index("ix_deliveries_queue", "subscription_id", "next_attempt_at", where=_WAITING),
)
