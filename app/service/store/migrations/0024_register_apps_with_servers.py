"""Store apps registered with servers of companion networks, their limits, and options of posts there."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "server_apps",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("platform", sa.String(length=20), nullable=False),
        sa.Column("server", sa.String(length=300), nullable=False),
        sa.Column("redirect_uri", sa.String(length=500), nullable=False),
        sa.Column("credentials", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_server_apps")),
        sa.UniqueConstraint(
            "platform", "server", "redirect_uri", name=op.f("uq_server_apps_platform_server_redirect_uri")
        ),
    )
    op.add_column("connection_flows", sa.Column("server", sa.Text(), nullable=True))
    op.add_column("connections", sa.Column("limits", sa.Text(), nullable=True))
    op.add_column("posts", sa.Column("options", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("posts", "options")
    op.drop_column("connections", "limits")
    op.drop_column("connection_flows", "server")
    op.drop_table("server_apps")
