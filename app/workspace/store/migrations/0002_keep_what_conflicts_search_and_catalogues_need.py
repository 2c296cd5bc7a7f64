"""Keep what conflicts, search and the catalogues need."""

# ruff: noqa: S608  the names are those of our own tables

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

# Letters are folded, so that "cafe" finds "Café"; beginnings of two and three letters are indexed, too.
_SEARCHED = {"posts": ("title", "description"), "drafts": ("words",), "media": ("name", "alt_text")}
_TOKENIZER = "tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'"


def upgrade() -> None:
    _extend_outbox_and_undo()
    _create_drafts_and_slots()
    _create_media()
    _create_content()
    _create_metrics()
    for table, columns in _SEARCHED.items():
        _index_words(table, columns)
    _list_media_of_posts()


def _extend_outbox_and_undo() -> None:
    op.add_column("outbox", sa.Column("seen_at", sa.BigInteger(), nullable=True))
    op.add_column("outbox", sa.Column("seen_cancelled", sa.Boolean(), nullable=True))
    op.add_column("outbox", sa.Column("sent", sa.Text(), nullable=False, server_default="[]"))
    op.add_column("undo_steps", sa.Column("made_at", sa.BigInteger(), nullable=False, server_default="0"))
    op.create_index("ix_posts_media_storage_path", "posts", ["media_storage_path"])


def _create_drafts_and_slots() -> None:
    op.create_table(
        "drafts",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drafts")),
    )
    op.create_table(
        "slots",
        sa.Column("account_key", sa.Text(), nullable=False),
        sa.Column("weekday", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("minute", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("account_key", "weekday", "minute", name=op.f("pk_slots")),
    )


def _create_media() -> None:
    op.create_table(
        "media",
        sa.Column("storage_path", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("content_type", sa.Text(), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("duration_ms", sa.BigInteger(), nullable=True),
        sa.Column("alt_text", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("storage_path", name=op.f("pk_media")),
    )


def _create_content() -> None:
    op.create_table(
        "content",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("content_id", sa.Text(), nullable=False),
        sa.Column("scheduled_post_id", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("media_url", sa.Text(), nullable=True),
        sa.Column("media_type", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("batch_id", sa.Text(), nullable=True),
        sa.Column("created_via", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_content")),
    )
    op.create_index("ix_content_created_at", "content", ["created_at"])


def _create_metrics() -> None:
    counts = ("views", "likes", "comments", "shares", "subscribers")
    op.create_table(
        "metrics",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("content_id", sa.Text(), nullable=True),
        sa.Column("metric_date", sa.Text(), nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in counts),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_metrics")),
    )
    op.create_index("ix_metrics_metric_date", "metrics", ["metric_date"])
    op.create_index("ix_metrics_content_id", "metrics", ["content_id"])


def _index_words(table: str, columns: Sequence[str]) -> None:
    """A full-text index that triggers keep up to date."""
    names = ", ".join(columns)
    old, new = (", ".join(f"{side}.{name}" for name in columns) for side in ("old", "new"))
    differs = " OR ".join(f"old.{name} IS NOT new.{name}" for name in columns)
    index = f"{table}_words"
    add = f"INSERT INTO {index}(rowid, {names}) VALUES (new.rowid, {new});"
    take = f"INSERT INTO {index}({index}, rowid, {names}) VALUES ('delete', old.rowid, {old});"
    op.execute(
        f"CREATE VIRTUAL TABLE {index} "
        f"USING fts5({names}, content = '{table}', content_rowid = 'rowid', {_TOKENIZER})"
    )
    op.execute(f"CREATE TRIGGER {index}_insert AFTER INSERT ON {table} BEGIN {add} END")
    op.execute(f"CREATE TRIGGER {index}_delete AFTER DELETE ON {table} BEGIN {take} END")
    op.execute(
        f"CREATE TRIGGER {index}_update AFTER UPDATE OF {names} ON {table} WHEN {differs} "
        f"BEGIN {take} {add} END"
    )
    op.execute(f"INSERT INTO {index}({index}) VALUES ('rebuild')")


def _list_media_of_posts() -> None:
    """The contract cannot list files, so whatever a post names is one."""
    path = "new.media_storage_path"
    op.execute(
        f"CREATE TRIGGER media_of_posts AFTER INSERT ON posts WHEN {path} <> '' "
        f"AND NOT EXISTS (SELECT 1 FROM media WHERE storage_path = {path}) "
        "BEGIN INSERT INTO media (storage_path, name, kind) "
        f"VALUES ({path}, substr({path}, instr({path}, '/') + 1), new.post_type); END"
    )
    op.execute(
        "INSERT OR IGNORE INTO media (storage_path, name, kind) SELECT media_storage_path, "
        "substr(media_storage_path, instr(media_storage_path, '/') + 1), post_type "
        "FROM posts WHERE media_storage_path <> ''"
    )


def downgrade() -> None:
    op.execute("DROP TRIGGER media_of_posts")
    for table in _SEARCHED:
        for event in ("insert", "delete", "update"):
            op.execute(f"DROP TRIGGER {table}_words_{event}")
        op.execute(f"DROP TABLE {table}_words")
    for table in ("metrics", "content", "media", "slots", "drafts"):
        op.drop_table(table)
    op.drop_index("ix_posts_media_storage_path", "posts")
    op.drop_column("undo_steps", "made_at")
    for column in ("sent", "seen_cancelled", "seen_at"):
        op.drop_column("outbox", column)
