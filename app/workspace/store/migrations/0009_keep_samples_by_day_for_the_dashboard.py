"""Keep the samples of a day together, so that the dashboard reads a hundred rows instead of some 100,000."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "metric_days",
        sa.Column("metric_date", sa.Text(), nullable=False),
        sa.Column("samples", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("metric_date", name=op.f("pk_metric_days")),
    )


def downgrade() -> None:
    op.drop_table("metric_days")
