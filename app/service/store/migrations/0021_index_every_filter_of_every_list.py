"""Index every filter of every list in the list's order, and changes by account."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_IN_A_BATCH = "batch_id IS NOT NULL"
_LOGGED = "next_attempt_at IS NULL"
_INDEXES = (
    ("ix_posts_platform_page", "posts", "account_id platform created_at id", None),
    ("ix_posts_status_platform_page", "posts", "account_id status platform created_at id", None),
    ("ix_posts_batch_status_page", "posts", "account_id batch_id status created_at id", _IN_A_BATCH),
    ("ix_posts_batch_platform_page", "posts", "account_id batch_id platform created_at id", _IN_A_BATCH),
    (
        "ix_posts_batch_status_platform_page",
        "posts",
        "account_id batch_id status platform created_at id",
        _IN_A_BATCH,
    ),
    ("ix_contents_platform_page", "contents", "account_id platform created_at id", None),
    ("ix_metrics_platform_page", "metrics", "account_id platform metric_date id", None),
    ("ix_connections_platform_page", "connections", "account_id platform created_at id", None),
    ("ix_connections_available_page", "connections", "account_id is_available created_at id", None),
    (
        "ix_connections_available_platform_page",
        "connections",
        "account_id is_available platform created_at id",
        None,
    ),
    ("ix_deliveries_log", "deliveries", "subscription_id created_at id", _LOGGED),
    ("ix_changes_account", "changes", "account_id seq", None),
)


def upgrade() -> None:
    for name, table, columns, condition in _INDEXES:
        where = None if condition is None else sa.text(condition)
        op.create_index(name, table, columns.split(), sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    for name, table, _, _ in reversed(_INDEXES):
        op.drop_index(name, table)
