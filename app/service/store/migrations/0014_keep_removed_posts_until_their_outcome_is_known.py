"""Keep posts that were deleted during a call until the call's outcome is known."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "removed_posts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("connection_id", sa.Uuid(), nullable=False),
        sa.Column("platform", sa.String(length=20), nullable=False),
        sa.Column("post_type", sa.String(length=20), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("scheduled_at", sa.BigInteger(), nullable=False),
        sa.Column("media_storage_path", sa.Text(), nullable=False),
        sa.Column("batch_id", sa.Text(), nullable=True),
        sa.Column("pinterest_board_id", sa.Text(), nullable=True),
        sa.Column("pinterest_board_name", sa.Text(), nullable=True),
        sa.Column("pinterest_link", sa.Text(), nullable=True),
        sa.Column("created_via", sa.String(length=10), nullable=False),
        sa.Column("claimed_until", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_removed_posts_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["connection_id"], ["connections.id"], name=op.f("fk_removed_posts_connection_id_connections")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_removed_posts")),
    )


def downgrade() -> None:
    op.drop_table("removed_posts")
