"""The service's tables in SQLAlchemy Core, one file per subject."""

from app.service.store.tables.accounts import (
    accounts,
    api_keys,
    connection_flows,
    connections,
    passwords,
    server_apps,
    sessions,
    sign_in_failures,
    sign_in_links,
    usage_counters,
)
from app.service.store.tables.metadata import changes, installation, marks, metadata
from app.service.store.tables.posts import (
    attempts,
    contents,
    idempotency_keys,
    media,
    metrics,
    posts,
    preparations,
    publication_steps,
    removed_posts,
    swept_media,
)
from app.service.store.tables.webhooks import deliveries, events, webhook_subscriptions

__all__ = [
    "accounts",
    "api_keys",
    "attempts",
    "changes",
    "connection_flows",
    "connections",
    "contents",
    "deliveries",
    "events",
    "idempotency_keys",
    "installation",
    "marks",
    "media",
    "metadata",
    "metrics",
    "passwords",
    "posts",
    "preparations",
    "publication_steps",
    "removed_posts",
    "server_apps",
    "sessions",
    "sign_in_failures",
    "sign_in_links",
    "swept_media",
    "usage_counters",
    "webhook_subscriptions",
]
