"""Create the media table, and find the posts that use a file."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "media",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("storage_path", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("content_type", sa.String(length=100), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=True),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("duration_ms", sa.BigInteger(), nullable=True),
        sa.Column("alt_text", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("probe_after", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_media_account_id_accounts")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_media")),
        sa.UniqueConstraint("storage_path", name=op.f("uq_media_storage_path")),
    )
    with op.batch_alter_table("media", schema=None) as batch_op:
        batch_op.create_index("ix_media_page", ["account_id", "created_at", "id"], unique=False)
        batch_op.create_index("ix_media_room", ["account_id", "expires_at", "size_bytes"], unique=False)
        batch_op.create_index(
            "ix_media_unprobed",
            ["probe_after"],
            unique=False,
            sqlite_where=sa.text("probe_after IS NOT NULL"),
            postgresql_where=sa.text("probe_after IS NOT NULL"),
        )
    op.create_index(
        "ix_posts_media",
        "posts",
        ["media_storage_path"],
        unique=False,
        sqlite_where=sa.text("media_storage_path <> ''"),
        postgresql_where=sa.text("media_storage_path <> ''"),
    )


def downgrade() -> None:
    op.drop_index("ix_posts_media", "posts")
    with op.batch_alter_table("media", schema=None) as batch_op:
        batch_op.drop_index("ix_media_unprobed")
        batch_op.drop_index("ix_media_room")
        batch_op.drop_index("ix_media_page")

    op.drop_table("media")
