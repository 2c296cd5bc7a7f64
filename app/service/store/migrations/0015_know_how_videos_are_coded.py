"""Store the codecs and frame rate of videos."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("media", sa.Column("video_codec", sa.String(length=40), nullable=True))
    op.add_column("media", sa.Column("audio_codec", sa.String(length=40), nullable=True))
    op.add_column("media", sa.Column("frame_rate", sa.Double(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("media", schema=None) as batch_op:
        for name in ("frame_rate", "audio_codec", "video_codec"):
            batch_op.drop_column(name)
