"""Pause accounts, and index what is deleted by age."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

_INDEXES = (
    ("ix_idempotency_keys_created_at", "idempotency_keys", "created_at"),
    ("ix_attempts_started_at", "attempts", "started_at"),
    ("ix_metrics_metric_date", "metrics", "metric_date"),
)


def upgrade() -> None:
    for table in ("accounts", "connections"):
        op.add_column(table, sa.Column("paused_at", sa.BigInteger(), nullable=True))
        paused = sa.text("paused_at IS NOT NULL")
        op.create_index(
            f"ix_{table}_paused", table, ["paused_at"], sqlite_where=paused, postgresql_where=paused
        )
    for name, table, column in _INDEXES:
        op.create_index(name, table, [column])


def downgrade() -> None:
    for name, table, _ in _INDEXES:
        op.drop_index(name, table)
    for table in ("connections", "accounts"):
        op.drop_index(f"ix_{table}_paused", table)
        op.drop_column(table, "paused_at")
