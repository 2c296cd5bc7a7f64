"""Store the public URL of published content."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("contents", sa.Column("url", sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("contents", schema=None) as batch_op:
        batch_op.drop_column("url")
