"""Leave room for updates in pages, and vacuum large tables after smaller shares of changes.

By default, PostgreSQL vacuums a table after a fifth of its rows has changed, which is rare in a large table.
Tables whose updated columns have no index keep a fifth of each page free: their updates then stay in the page
and touch no index.
"""

from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

_OFTEN = {"autovacuum_vacuum_scale_factor": "0.02", "autovacuum_analyze_scale_factor": "0.02"}
_GROWING = {**_OFTEN, "autovacuum_vacuum_insert_scale_factor": "0.05"}
_UPDATED = {"fillfactor": "80", **_OFTEN}
_SETTINGS = {
    # Inserted once, updated a few times, or deleted by age.
    **dict.fromkeys(("posts", "attempts", "contents", "events", "deliveries", "changes"), _GROWING),
    **dict.fromkeys(("idempotency_keys", "metrics"), _GROWING),
    # Updated again and again, in columns without an index.
    **dict.fromkeys(
        ("webhook_subscriptions", "preparations", "usage_counters", "api_keys", "marks"), _UPDATED
    ),
}


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for table, settings in _SETTINGS.items():
            given = ", ".join(f"{name} = {value}" for name, value in settings.items())
            op.execute(f"ALTER TABLE {table} SET ({given})")


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for table, settings in _SETTINGS.items():
            op.execute(f"ALTER TABLE {table} RESET ({', '.join(settings)})")
