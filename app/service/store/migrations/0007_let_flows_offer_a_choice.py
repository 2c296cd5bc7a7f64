"""Let a browser flow offer several accounts and reauthorize one, and let tokens be renewed ahead of time."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("connection_flows", schema=None) as batch_op:
        batch_op.add_column(sa.Column("reauthorizes", sa.Uuid(), nullable=True))
        batch_op.add_column(sa.Column("choice_hash", sa.String(length=64), nullable=True))
        batch_op.add_column(sa.Column("offered", sa.LargeBinary(), nullable=True))
        batch_op.create_unique_constraint(batch_op.f("uq_connection_flows_choice_hash"), ["choice_hash"])

    with op.batch_alter_table("connections", schema=None) as batch_op:
        batch_op.add_column(sa.Column("renew_at", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("renewing_until", sa.BigInteger(), nullable=True))
        batch_op.create_index("ix_connections_renewal", ["renew_at"], unique=False)
    op.execute("UPDATE connections SET renew_at = token_expires_at")


def downgrade() -> None:
    with op.batch_alter_table("connections", schema=None) as batch_op:
        batch_op.drop_index("ix_connections_renewal")
        batch_op.drop_column("renewing_until")
        batch_op.drop_column("renew_at")

    with op.batch_alter_table("connection_flows", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("uq_connection_flows_choice_hash"), type_="unique")
        batch_op.drop_column("offered")
        batch_op.drop_column("choice_hash")
        batch_op.drop_column("reauthorizes")
