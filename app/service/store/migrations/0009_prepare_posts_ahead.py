"""Record which worker uploads a post's file, ahead of time or when it is due."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_WAITING_WITH_FILE = sa.text("status = 'scheduled' AND media_storage_path <> ''")


def upgrade() -> None:
    op.create_table(
        "preparations",
        sa.Column("post_id", sa.Uuid(), nullable=False),
        sa.Column("held_by", sa.Uuid(), nullable=True),
        sa.Column("held_until", sa.BigInteger(), nullable=True),
        sa.Column("tries", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=True),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("post_id", name=op.f("pk_preparations")),
    )
    op.create_index(
        "ix_posts_to_prepare",
        "posts",
        ["scheduled_at"],
        unique=False,
        sqlite_where=_WAITING_WITH_FILE,
        postgresql_where=_WAITING_WITH_FILE,
    )


def downgrade() -> None:
    op.drop_index("ix_posts_to_prepare", table_name="posts")
    op.drop_table("preparations")
