"""Store when users have to sign in again although their tokens can be renewed until then."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("connections", sa.Column("sign_in_by", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("connections", "sign_in_by")
