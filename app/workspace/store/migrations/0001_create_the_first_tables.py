"""Create the first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_accounts()
    _create_posts()
    _create_settings()
    _create_undo_steps()
    _create_outbox()


def _create_accounts() -> None:
    op.create_table(
        "accounts",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("handle", sa.Text(), nullable=True),
        sa.Column("identifier", sa.Text(), nullable=False),
        sa.Column("avatar_url", sa.Text(), nullable=True),
        sa.Column("followers", sa.Integer(), nullable=True),
        sa.Column("is_verified", sa.Boolean(), nullable=True),
        sa.Column("is_available", sa.Boolean(), nullable=False),
        sa.Column("token_expires_at", sa.BigInteger(), nullable=True),
        sa.Column("connected_at", sa.BigInteger(), nullable=False),
        sa.Column("color_index", sa.Integer(), nullable=False),
        sa.Column("practice", sa.Boolean(), nullable=False),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_accounts")),
    )


def _create_posts() -> None:
    op.create_table(
        "posts",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("service_id", sa.Text(), nullable=True),
        sa.Column("account_key", sa.Text(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("post_type", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("headline", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("posted_at", sa.BigInteger(), nullable=True),
        sa.Column("media_storage_path", sa.Text(), nullable=False),
        sa.Column("batch_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("may_be_live", sa.Boolean(), nullable=False),
        sa.Column("immediate", sa.Boolean(), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_posts")),
        sa.UniqueConstraint("idempotency_key", name=op.f("uq_posts_idempotency_key")),
        sa.UniqueConstraint("service_id", name=op.f("uq_posts_service_id")),
    )


def _create_settings() -> None:
    op.create_table(
        "settings",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_settings")),
    )


def _create_undo_steps() -> None:
    op.create_table(
        "undo_steps",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("edits", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_undo_steps")),
    )


def _create_outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("cancelled", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("create_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["key"], ["posts.key"], name=op.f("fk_outbox_key_posts"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_outbox")),
    )


def downgrade() -> None:
    op.drop_table("outbox")
    op.drop_table("undo_steps")
    op.drop_table("settings")
    op.drop_table("posts")
    op.drop_table("accounts")
