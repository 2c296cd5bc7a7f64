"""Store the audience and disclosures of posts on TikTok."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_TRIGGER = "tr_media_update_changes"
_COLUMNS = ("expires_at", "width", "height", "duration_ms", "alt_text")
_STORED_OR_LOST = "OLD.expires_at IS NULL OR NEW.expires_at IS NULL"
_NOW = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
_TABLES = ("media", "connections", "posts")


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(table, sa.Column("tiktok", sa.Text(), nullable=True))
    _record_updates((*_COLUMNS, "tiktok"))


def downgrade() -> None:
    _record_updates(_COLUMNS)
    for table in reversed(_TABLES):
        op.drop_column(table, "tiktok")


def _record_updates(columns: tuple[str, ...]) -> None:
    """Replace the trigger that records changes of stored files."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    differs = "IS NOT" if is_sqlite else "IS DISTINCT FROM"
    changed = " OR ".join(f"OLD.{name} {differs} NEW.{name}" for name in columns)
    event = f"AFTER UPDATE OF {', '.join(columns)} ON media"
    when = f"WHEN (({changed}) AND ({_STORED_OR_LOST}))"
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
