"""Let accounts send posts to the user's inbox on the platform. Accounts that publish already continue to."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("connections", sa.Column("inbox", sa.Boolean(), nullable=True))
    op.execute("UPDATE connections SET inbox = false WHERE platform = 'tiktok'")


def downgrade() -> None:
    op.drop_column("connections", "inbox")
