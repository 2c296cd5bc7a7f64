"""Find the samples of the first days of content, among hundreds of thousands."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_COLUMNS = ["content_id", "platform", "metric_date"]


def upgrade() -> None:
    op.create_index("ix_metrics_content_id_platform_metric_date", "metrics", _COLUMNS)
    op.drop_index("ix_metrics_content_id", "metrics")


def downgrade() -> None:
    op.create_index("ix_metrics_content_id", "metrics", ["content_id"])
    op.drop_index("ix_metrics_content_id_platform_metric_date", "metrics")
