"""Store which accounts have moved to another service, and how often."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

_INDEX = "ix_accounts_moved"


def upgrade() -> None:
    op.add_column("accounts", sa.Column("moved_at", sa.BigInteger(), nullable=True))
    op.add_column("accounts", sa.Column("moves", sa.Integer(), nullable=False, server_default=sa.text("0")))
    moved = sa.text("moved_at IS NOT NULL")
    op.create_index(_INDEX, "accounts", ["moved_at"], sqlite_where=moved, postgresql_where=moved)


def downgrade() -> None:
    op.drop_index(_INDEX, "accounts")
    op.drop_column("accounts", "moves")
    op.drop_column("accounts", "moved_at")
