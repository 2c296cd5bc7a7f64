"""Keep rows of lost media files, record files deleted by users, and store file names."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_TRIGGER = "tr_media_update_changes"
_COLUMNS = ("expires_at", "width", "height", "duration_ms", "alt_text")
_STORED = "NEW.expires_at IS NULL"
# A stored file whose row gets an expiry is lost. Programs that list files must be notified of that too.
_STORED_OR_LOST = "OLD.expires_at IS NULL OR NEW.expires_at IS NULL"
_NOW = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"


def upgrade() -> None:
    op.add_column("media", sa.Column("missing_since", sa.BigInteger(), nullable=True))
    op.add_column("media", sa.Column("filename", sa.Text(), nullable=True))
    op.create_table(
        "swept_media",
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("path", name="pk_swept_media"),
    )
    _record_updates(_STORED_OR_LOST)


def downgrade() -> None:
    _record_updates(_STORED)
    op.drop_table("swept_media")
    op.drop_column("media", "filename")
    op.drop_column("media", "missing_since")


def _record_updates(condition: str) -> None:
    """Replace the trigger that records changes of stored files."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    differs = "IS NOT" if is_sqlite else "IS DISTINCT FROM"
    changed = " OR ".join(f"OLD.{name} {differs} NEW.{name}" for name in _COLUMNS)
    event, when = f"AFTER UPDATE OF {', '.join(_COLUMNS)} ON media", f"WHEN (({changed}) AND ({condition}))"
    if is_sqlite:
        insert = (
            "INSERT INTO changes (account_id, kind, subject, created_at) "
            f"SELECT NEW.account_id, 'media.changed', CAST(NEW.storage_path AS text), {_NOW}"
        )
        op.execute(f"DROP TRIGGER IF EXISTS {_TRIGGER}")
        op.execute(f"CREATE TRIGGER {_TRIGGER} {event} FOR EACH ROW {when} BEGIN {insert}; END")
    else:
        deferred = f"{event} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW {when}"
        op.execute(f"DROP TRIGGER {_TRIGGER} ON media")
        op.execute(f"CREATE CONSTRAINT TRIGGER {_TRIGGER} {deferred} EXECUTE FUNCTION {_TRIGGER}()")
