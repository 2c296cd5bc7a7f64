"""The store: the migrations lead to the tables, and back."""

from contextlib import closing
from pathlib import Path

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect

from app.service.store.folder import DataFolder
from app.service.store.page_check import PageCheck
from app.service.store.schema import MIGRATIONS
from app.service.store.tables import metadata


def test_an_empty_folder_becomes_the_tables_and_opening_again_changes_nothing(tmp_path: Path) -> None:
    for _ in range(2):
        with closing(DataFolder(tmp_path).open_database()) as database:
            with database.engine.connect() as connection:
                assert compare_metadata(MigrationContext.configure(connection), metadata) == []
            PageCheck(database).run()


def test_the_way_back_leaves_nothing(tmp_path: Path) -> None:
    with closing(DataFolder(tmp_path).open_database()) as database, database.engine.begin() as connection:
        config = MIGRATIONS.config()
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
        assert inspect(connection).get_table_names() == ["alembic_version"]
