"""Create sign-in links, sessions and passwords; name keys."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("api_keys", schema=None) as batch_op:
        batch_op.add_column(sa.Column("name", sa.String(length=100), nullable=True))
        batch_op.add_column(sa.Column("hint", sa.String(length=4), nullable=True))
        batch_op.add_column(sa.Column("last_used_at", sa.BigInteger(), nullable=True))
    _create_passwords()
    _create_links_and_sessions()


def _create_passwords() -> None:
    op.create_table(
        "passwords",
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("login", sa.String(length=200), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        _account("passwords"),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_passwords")),
        sa.UniqueConstraint("login", name=op.f("uq_passwords_login")),
    )
    op.create_table(
        "sign_in_failures",
        sa.Column("subject_hash", sa.String(length=64), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("failed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("subject_hash", name=op.f("pk_sign_in_failures")),
    )


def _create_links_and_sessions() -> None:
    op.create_table(
        "sign_in_links",
        sa.Column("link_hash", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        _account("sign_in_links"),
        sa.PrimaryKeyConstraint("link_hash", name=op.f("pk_sign_in_links")),
    )
    op.create_index(op.f("ix_sign_in_links_account_id"), "sign_in_links", ["account_id"])
    op.create_table(
        "sessions",
        sa.Column("session_hash", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_seen_at", sa.BigInteger(), nullable=False),
        _account("sessions"),
        sa.PrimaryKeyConstraint("session_hash", name=op.f("pk_sessions")),
    )
    op.create_index(op.f("ix_sessions_account_id"), "sessions", ["account_id"])


def _account(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["account_id"], ["accounts.id"], name=op.f(f"fk_{table}_account_id_accounts")
    )


def downgrade() -> None:
    op.drop_table("sign_in_failures")
    op.drop_table("sessions")
    op.drop_table("sign_in_links")
    op.drop_table("passwords")
    with op.batch_alter_table("api_keys", schema=None) as batch_op:
        batch_op.drop_column("last_used_at")
        batch_op.drop_column("hint")
        batch_op.drop_column("name")
