"""The store: the migrations lead to the tables, from empty and from filled, and back, on both databases."""

from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect

from app.service.store.page_check import PageCheck
from app.service.store.schema import MIGRATIONS
from app.service.store.tables import metadata
from tests.stores import STORES, service_store

pytestmark = pytest.mark.parametrize("store", STORES)


def test_an_empty_store_gets_the_tables_and_opening_again_changes_nothing(tmp_path: Path, store: str) -> None:
    for _ in range(2):
        with closing(service_store(tmp_path, store)) as database:
            with database.engine.connect() as connection:
                assert compare_metadata(MigrationContext.configure(connection), metadata) == []
            PageCheck(database).run()


def test_the_way_back_leaves_nothing(tmp_path: Path, store: str) -> None:
    with closing(service_store(tmp_path, store)) as database, database.engine.begin() as connection:
        config = MIGRATIONS.config()
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
        assert inspect(connection).get_table_names() == ["alembic_version"]
