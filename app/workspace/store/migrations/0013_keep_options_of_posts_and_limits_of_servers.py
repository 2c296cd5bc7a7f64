"""Keep the options of posts on companion networks, and the limits of accounts' servers."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("posts", sa.Column("options", sa.Text(), nullable=True))
    op.add_column("accounts", sa.Column("server_limits", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("accounts", "server_limits")
    op.drop_column("posts", "options")
