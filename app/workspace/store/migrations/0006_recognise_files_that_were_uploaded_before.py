"""Recognise files that were uploaded before, also where they are called something else now."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("uploads", sa.Column("fingerprint", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("uploads", "fingerprint")
