"""Add a cover moment to videos."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("media", sa.Column("cover_ms", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("media", "cover_ms")
