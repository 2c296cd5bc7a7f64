"""Create the first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("plan", sa.String(length=40), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("current_period_end", sa.BigInteger(), nullable=True),
        sa.Column("storage_cap_bytes", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("key_hash", sa.String(length=64), nullable=False),
        sa.Column("scope", sa.String(length=20), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_api_keys_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_api_keys_key_hash")),
    )
    with op.batch_alter_table("api_keys", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_api_keys_account_id"), ["account_id"], unique=False)

    op.create_table(
        "attempts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("post_id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("step", sa.String(length=20), nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("unknown_since", sa.BigInteger(), nullable=True),
        sa.Column("absent_since", sa.BigInteger(), nullable=True),
        sa.Column("content_id", sa.Text(), nullable=True),
        sa.Column("platform_code", sa.Text(), nullable=True),
        sa.Column("platform_message", sa.Text(), nullable=True),
        sa.Column("advice", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_attempts_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
    )
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_attempts_post_id"), ["post_id"], unique=False)
        batch_op.create_index(
            "ix_attempts_open",
            ["post_id"],
            unique=False,
            sqlite_where=sa.text("finished_at IS NULL"),
            postgresql_where=sa.text("finished_at IS NULL"),
        )

    op.create_table(
        "connection_flows",
        sa.Column("connection_id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("platform", sa.String(length=20), nullable=False),
        sa.Column("state_hash", sa.String(length=64), nullable=False),
        sa.Column("code_verifier", sa.LargeBinary(), nullable=False),
        sa.Column("callback_url", sa.Text(), nullable=False),
        sa.Column("redirect_url", sa.Text(), nullable=True),
        sa.Column("stage", sa.String(length=20), nullable=False),
        sa.Column("outcome_words", sa.Text(), nullable=True),
        sa.Column("result_connection_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_connection_flows_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("connection_id", name=op.f("pk_connection_flows")),
        sa.UniqueConstraint("state_hash", name=op.f("uq_connection_flows_state_hash")),
    )
    op.create_table(
        "connections",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("platform", sa.String(length=20), nullable=False),
        sa.Column("account_identifier", sa.String(length=200), nullable=False),
        sa.Column("display_name", sa.Text(), nullable=True),
        sa.Column("username", sa.Text(), nullable=True),
        sa.Column("avatar_url", sa.Text(), nullable=True),
        sa.Column("is_verified", sa.Boolean(), nullable=True),
        sa.Column("follower_count", sa.Integer(), nullable=True),
        sa.Column("is_available", sa.Boolean(), nullable=False),
        sa.Column("token_expires_at", sa.BigInteger(), nullable=True),
        sa.Column("access_token", sa.LargeBinary(), nullable=False),
        sa.Column("refresh_token", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_connections_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_connections")),
        sa.UniqueConstraint(
            "account_id",
            "platform",
            "account_identifier",
            name=op.f("uq_connections_account_id_platform_account_identifier"),
        ),
    )
    with op.batch_alter_table("connections", schema=None) as batch_op:
        batch_op.create_index("ix_connections_page", ["account_id", "created_at", "id"], unique=False)

    op.create_table(
        "idempotency_keys",
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("idempotency_key", sa.String(length=200), nullable=False),
        sa.Column("request_hash", sa.String(length=64), nullable=False),
        sa.Column("post_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_idempotency_keys_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("account_id", "idempotency_key", name=op.f("pk_idempotency_keys")),
    )
    op.create_table(
        "usage_counters",
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("period", sa.String(length=7), nullable=False),
        sa.Column("action", sa.String(length=60), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_usage_counters_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("account_id", "period", "action", name=op.f("pk_usage_counters")),
    )
    op.create_table(
        "contents",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("connection_id", sa.Uuid(), nullable=False),
        sa.Column("platform", sa.String(length=20), nullable=False),
        sa.Column("content_id", sa.Text(), nullable=False),
        sa.Column("post_id", sa.Uuid(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("media_url", sa.Text(), nullable=True),
        sa.Column("media_type", sa.String(length=20), nullable=True),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("batch_id", sa.Text(), nullable=True),
        sa.Column("created_via", sa.String(length=10), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_contents_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["connection_id"], ["connections.id"], name=op.f("fk_contents_connection_id_connections")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contents")),
        sa.UniqueConstraint("connection_id", "content_id", name=op.f("uq_contents_connection_id_content_id")),
    )
    with op.batch_alter_table("contents", schema=None) as batch_op:
        batch_op.create_index("ix_contents_page", ["account_id", "created_at", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_contents_post_id"), ["post_id"], unique=False)

    op.create_table(
        "posts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("connection_id", sa.Uuid(), nullable=False),
        sa.Column("platform", sa.String(length=20), nullable=False),
        sa.Column("post_type", sa.String(length=20), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("scheduled_at", sa.BigInteger(), nullable=False),
        sa.Column("posted_at", sa.BigInteger(), nullable=True),
        sa.Column("media_storage_path", sa.Text(), nullable=False),
        sa.Column("batch_id", sa.Text(), nullable=True),
        sa.Column("pinterest_board_id", sa.Text(), nullable=True),
        sa.Column("pinterest_board_name", sa.Text(), nullable=True),
        sa.Column("pinterest_link", sa.Text(), nullable=True),
        sa.Column("created_via", sa.String(length=10), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("claimed_by", sa.Uuid(), nullable=True),
        sa.Column("claimed_until", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_posts_account_id_accounts")),
        sa.ForeignKeyConstraint(
            ["connection_id"], ["connections.id"], name=op.f("fk_posts_connection_id_connections")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_posts")),
    )
    with op.batch_alter_table("posts", schema=None) as batch_op:
        batch_op.create_index(
            "ix_posts_batch_page", ["account_id", "batch_id", "created_at", "id"], unique=False
        )
        batch_op.create_index(
            "ix_posts_status_page", ["account_id", "status", "created_at", "id"], unique=False
        )
        batch_op.create_index(
            "ix_posts_claimed",
            ["claimed_until"],
            unique=False,
            sqlite_where=sa.text("claimed_until IS NOT NULL"),
            postgresql_where=sa.text("claimed_until IS NOT NULL"),
        )
        batch_op.create_index("ix_posts_due", ["status", "scheduled_at"], unique=False)
        batch_op.create_index("ix_posts_page", ["account_id", "created_at", "id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("posts", schema=None) as batch_op:
        batch_op.drop_index("ix_posts_page")
        batch_op.drop_index("ix_posts_due")
        batch_op.drop_index("ix_posts_claimed")
        batch_op.drop_index("ix_posts_status_page")
        batch_op.drop_index("ix_posts_batch_page")

    op.drop_table("posts")
    with op.batch_alter_table("contents", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_contents_post_id"))
        batch_op.drop_index("ix_contents_page")

    op.drop_table("contents")
    op.drop_table("usage_counters")
    op.drop_table("idempotency_keys")
    with op.batch_alter_table("connections", schema=None) as batch_op:
        batch_op.drop_index("ix_connections_page")

    op.drop_table("connections")
    op.drop_table("connection_flows")
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.drop_index("ix_attempts_open")
        batch_op.drop_index(batch_op.f("ix_attempts_post_id"))

    op.drop_table("attempts")
    with op.batch_alter_table("api_keys", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_api_keys_account_id"))

    op.drop_table("api_keys")
    op.drop_table("accounts")
