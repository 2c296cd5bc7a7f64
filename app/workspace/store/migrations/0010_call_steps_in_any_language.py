"""Store what a step did in addition to its label, so that its name can follow the language."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("undo_steps", sa.Column("doing", sa.Text(), nullable=False, server_default=""))
    op.add_column("undo_steps", sa.Column("number", sa.Integer(), nullable=False, server_default="1"))


def downgrade() -> None:
    op.drop_column("undo_steps", "number")
    op.drop_column("undo_steps", "doing")
