"""Create the metrics, and store when each published item is due for its next sample."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_HOUR_MS = 3_600_000


def upgrade() -> None:
    op.create_table(
        "metrics",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("connection_id", sa.Uuid(), nullable=False),
        sa.Column("platform", sa.String(length=20), nullable=False),
        sa.Column("content_id", sa.Text(), nullable=False),
        sa.Column("metric_date", sa.Date(), nullable=False),
        sa.Column("views", sa.BigInteger(), nullable=False),
        sa.Column("likes", sa.BigInteger(), nullable=False),
        sa.Column("comments", sa.BigInteger(), nullable=False),
        sa.Column("shares", sa.BigInteger(), nullable=False),
        sa.Column("subscribers", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_metrics_account_id_accounts")),
        sa.ForeignKeyConstraint(
            ["connection_id"], ["connections.id"], name=op.f("fk_metrics_connection_id_connections")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_metrics")),
        sa.UniqueConstraint(
            "connection_id",
            "content_id",
            "metric_date",
            name=op.f("uq_metrics_connection_id_content_id_metric_date"),
        ),
    )
    op.create_index("ix_metrics_page", "metrics", ["account_id", "metric_date", "id"])
    op.create_index("ix_metrics_content_page", "metrics", ["account_id", "content_id", "metric_date", "id"])
    op.add_column("contents", sa.Column("next_sample_at", sa.BigInteger(), nullable=True))
    contents = sa.table("contents", sa.column("created_at"), sa.column("next_sample_at"))
    op.execute(contents.update().values(next_sample_at=contents.c.created_at + _HOUR_MS))
    op.create_index(
        "ix_contents_next_sample",
        "contents",
        ["next_sample_at"],
        sqlite_where=sa.text("next_sample_at IS NOT NULL"),
        postgresql_where=sa.text("next_sample_at IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_contents_next_sample", table_name="contents")
    with op.batch_alter_table("contents") as contents:
        contents.drop_column("next_sample_at")
    op.drop_table("metrics")
