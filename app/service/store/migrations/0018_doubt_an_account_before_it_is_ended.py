"""Record since when an account is in doubt."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_DOUBTED = sa.text("doubted_at IS NOT NULL")


def upgrade() -> None:
    op.add_column("connections", sa.Column("doubted_at", sa.BigInteger(), nullable=True))
    op.create_index(
        "ix_connections_doubted",
        "connections",
        ["doubted_at"],
        sqlite_where=_DOUBTED,
        postgresql_where=_DOUBTED,
    )


def downgrade() -> None:
    op.drop_index("ix_connections_doubted", "connections")
    op.drop_column("connections", "doubted_at")
