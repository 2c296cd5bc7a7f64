"""Store the steps of publications that take several."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "publication_steps",
        sa.Column("post_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("post_id", "name", name=op.f("pk_publication_steps")),
    )


def downgrade() -> None:
    op.drop_table("publication_steps")
