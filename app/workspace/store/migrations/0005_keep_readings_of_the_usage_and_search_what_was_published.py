"""Keep what the service counted from time to time, and index the words of what was published."""

# ruff: noqa: S608  the names are those of our own table

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_OLD, _NEW = "old.rowid, old.title, old.description", "new.rowid, new.title, new.description"
_ADD = f"INSERT INTO content_words(rowid, title, description) VALUES ({_NEW});"
_TAKE = f"INSERT INTO content_words(content_words, rowid, title, description) VALUES ('delete', {_OLD});"
_DIFFERS = "old.title IS NOT new.title OR old.description IS NOT new.description"


def upgrade() -> None:
    op.create_table(
        "usage_readings",
        sa.Column("at", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("calls", sa.BigInteger(), nullable=False),
        sa.Column("used_bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("at", name=op.f("pk_usage_readings")),
    )
    op.execute(
        "CREATE VIRTUAL TABLE content_words USING fts5(title, description, content = 'content', "
        "content_rowid = 'rowid', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')"
    )
    op.execute(f"CREATE TRIGGER content_words_insert AFTER INSERT ON content BEGIN {_ADD} END")
    op.execute(f"CREATE TRIGGER content_words_delete AFTER DELETE ON content BEGIN {_TAKE} END")
    op.execute(
        "CREATE TRIGGER content_words_update AFTER UPDATE OF title, description ON content "
        f"WHEN {_DIFFERS} BEGIN {_TAKE} {_ADD} END"
    )
    op.execute("INSERT INTO content_words(content_words) VALUES ('rebuild')")


def downgrade() -> None:
    for event in ("insert", "delete", "update"):
        op.execute(f"DROP TRIGGER content_words_{event}")
    op.execute("DROP TABLE content_words")
    op.drop_table("usage_readings")
