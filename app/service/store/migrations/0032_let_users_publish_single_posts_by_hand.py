"""Let users publish single posts of connected accounts by hand."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

_TABLES = ("posts", "removed_posts")
_TRIGGER = "tr_posts_update_changes"
_COLUMNS = ("status", "scheduled_at", "posted_at")
_NOW = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(table, sa.Column("by_hand", sa.Boolean(), nullable=False, server_default=sa.false()))
    _record_updates((*_COLUMNS, "by_hand"))


def downgrade() -> None:
    _record_updates(_COLUMNS)
    for table in reversed(_TABLES):
        op.drop_column(table, "by_hand")


def _record_updates(columns: tuple[str, ...]) -> None:
    """Replace the trigger that records changes of posts."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    differs = "IS NOT" if is_sqlite else "IS DISTINCT FROM"
    changed = " OR ".join(f"OLD.{name} {differs} NEW.{name}" for name in columns)
    event, when = f"AFTER UPDATE OF {', '.join(columns)} ON posts", f"WHEN ({changed})"
    if is_sqlite:
        insert = (
            "INSERT INTO changes (account_id, kind, subject, created_at) "
            f"SELECT NEW.account_id, 'post.changed', CAST(NEW.id AS text), {_NOW}"
        )
        op.execute(f"DROP TRIGGER IF EXISTS {_TRIGGER}")
        op.execute(f"CREATE TRIGGER {_TRIGGER} {event} FOR EACH ROW {when} BEGIN {insert}; END")
    else:
        deferred = f"{event} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW {when}"
        op.execute(f"DROP TRIGGER {_TRIGGER} ON posts")
        op.execute(f"CREATE CONSTRAINT TRIGGER {_TRIGGER} {deferred} EXECUTE FUNCTION {_TRIGGER}()")
