"""The workspace's file."""

from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from app.database.engines import sqlite_engine
from app.workspace.store.schema import MIGRATIONS


def test_the_migrations_lead_to_the_tables(tmp_path: Path) -> None:
    engine = sqlite_engine(tmp_path / "workspace.db")
    MIGRATIONS.upgrade(engine, "the file")
    MIGRATIONS.upgrade(engine, "the file")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, MIGRATIONS.metadata) == []
    engine.dispose()
