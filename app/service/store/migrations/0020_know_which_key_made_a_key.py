"""Store which key created a key, a sign-in link or a session, so that revoking it ends them too."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_TABLES = ("api_keys", "sign_in_links", "sessions")


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(table, sa.Column("created_by", sa.Uuid(), nullable=True))


def downgrade() -> None:
    for table in _TABLES:
        op.drop_column(table, "created_by")
