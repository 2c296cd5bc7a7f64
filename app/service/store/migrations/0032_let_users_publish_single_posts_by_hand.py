"""Let users publish single posts of connected accounts by hand."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

_TABLES = ("posts", "removed_posts")


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(table, sa.Column("by_hand", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    for table in reversed(_TABLES):
        op.drop_column(table, "by_hand")
