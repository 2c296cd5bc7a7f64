"""Remember if an account's consent allows only publishing directly, or only sending posts to its inbox."""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("connections", sa.Column("only_way", sa.String(10), nullable=True))


def downgrade() -> None:
    op.drop_column("connections", "only_way")
