"""Keep where pins go, and which change waits for another post."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_PIN = ("board_id", "board_name", "link")


def upgrade() -> None:
    for name in _PIN:
        op.add_column("posts", sa.Column(name, sa.Text(), nullable=True))
    op.add_column("outbox", sa.Column("after", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("outbox", "after")
    for name in reversed(_PIN):
        op.drop_column("posts", name)
