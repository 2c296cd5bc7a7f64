"""Drop the time of empty looks on platforms, which only the process that looked can interpret."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_column("attempts", "absent_since")


def downgrade() -> None:
    op.add_column("attempts", sa.Column("absent_since", sa.BigInteger(), nullable=True))
