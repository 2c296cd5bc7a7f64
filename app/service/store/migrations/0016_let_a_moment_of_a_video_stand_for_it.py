"""Store the moment of a video that is used as its cover."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("media", sa.Column("cover_ms", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("media", "cover_ms")
