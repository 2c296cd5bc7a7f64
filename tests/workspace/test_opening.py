"""The workspace's file."""

from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, text

from app.database.dialects import sqlite_engine
from app.workspace.store.tables import MIGRATIONS, WORD_INDEXES


def _is_ours(_thing: object, name: str | None, kind: str, _reflected: bool, _other: object) -> bool:
    """FTS5 keeps an index in tables of its own."""
    return kind != "table" or not any(str(name).startswith(f"{table}_words") for table in WORD_INDEXES)


def test_the_migrations_lead_to_the_tables(tmp_path: Path) -> None:
    engine = sqlite_engine(tmp_path / "workspace.db")
    MIGRATIONS.upgrade(engine, "the file")
    MIGRATIONS.upgrade(engine, "the file")
    with engine.connect() as connection:
        options = {"compare_type": True, "include_object": _is_ours}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, MIGRATIONS.metadata) == []
        for table, columns in WORD_INDEXES.items():
            found = inspect(connection).get_columns(f"{table}_words")
            assert [column["name"] for column in found] == list(columns)
    engine.dispose()


def test_a_file_of_an_earlier_version_keeps_what_it_holds(tmp_path: Path) -> None:
    from alembic import command

    engine = sqlite_engine(tmp_path / "workspace.db")
    with engine.begin() as connection:
        config = MIGRATIONS.config()
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        _fill(connection)
    MIGRATIONS.upgrade(engine, "the file")
    with engine.begin() as connection:
        assert connection.scalar(text("SELECT count(*) FROM posts")) == 1
        assert connection.scalar(text("SELECT name FROM media")) == "picture.png"
        words = "SELECT count(*) FROM posts_words WHERE posts_words MATCH 'cafe'"
        assert connection.scalar(text(words)) == 1
        assert connection.execute(text("SELECT sent, seen_at FROM outbox")).one() == ("[]", None)
        config = MIGRATIONS.config()
        config.attributes["connection"] = connection
        command.downgrade(config, "0001")
        assert connection.scalar(text("SELECT count(*) FROM posts")) == 1
    MIGRATIONS.upgrade(engine, "the file")
    engine.dispose()


def _fill(connection: Connection) -> None:
    connection.execute(
        text(
            "INSERT INTO posts (key, account_key, platform, post_type, status, title, description, headline, "
            "at, media_storage_path, created_at, reason, may_be_live, immediate) VALUES ('p', 'a', 'x', "
            "'image', 'scheduled', NULL, 'At the Café', 'At the Café', 1, 'me/picture.png', 1, '', 0, 0)"
        )
    )
    connection.execute(
        text("INSERT INTO outbox (key, at, cancelled, version, attempts) VALUES ('p', 1, 0, 1, 0)")
    )
