"""Store when users have to sign in to an account again."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("accounts", sa.Column("sign_in_by", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("accounts", "sign_in_by")
