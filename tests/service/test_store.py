"""The store: the migrations lead to the tables, from empty and from filled, and back, on both databases."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, create_engine, inspect, select, text

from app.database.dialects import sqlite_engine
from app.service.store.folder import MIGRATIONS, PageCheck
from app.service.store.tables import connections, metadata, posts
from tests.stores import STORES, empty_engine, service_store

pytestmark = pytest.mark.parametrize("store", STORES)


def test_an_empty_store_gets_the_tables_and_opening_again_changes_nothing(tmp_path: Path, store: str) -> None:
    for _ in range(2):
        with closing(service_store(tmp_path, store)) as database:
            with database.engine.connect() as connection:
                assert compare_metadata(MigrationContext.configure(connection), metadata) == []
            PageCheck(database).run()


def test_a_filled_store_of_every_version_becomes_the_newest(tmp_path: Path, store: str) -> None:
    """Down to some of the versions, filled there, and up again."""
    with closing(service_store(tmp_path, store)) as database:
        for version in sorted(path.name[:4] for path in MIGRATIONS.folder.glob("[0-9]*_*.py"))[::4]:
            with database.engine.begin() as connection:
                config = MIGRATIONS.config()
                config.attributes["connection"] = connection
                command.downgrade(config, version)
                _fill(connection)
            MIGRATIONS.upgrade(database.engine, "the store")
            with database.engine.begin() as connection:
                assert compare_metadata(MigrationContext.configure(connection), metadata) == []
                kept = connection.execute(
                    select(posts.c.description, connections.c.display_name).join_from(posts, connections)
                ).all()
                assert kept == [("Hello\n🌷", "Robin")]
                _empty(connection)


def test_several_programs_bring_one_store_to_the_newest_version(tmp_path: Path, store: str) -> None:
    engines = [empty_engine(tmp_path, store)]
    engines += [
        create_engine(engines[0].url) if store == "postgresql" else sqlite_engine(tmp_path / "store.db")
    ]
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(lambda engine: MIGRATIONS.upgrade(engine, "the store"), engines)) == [
            None,
            None,
        ]
    assert inspect(engines[0]).has_table("posts")
    for engine in engines:
        engine.dispose()


def test_the_way_back_leaves_nothing(tmp_path: Path, store: str) -> None:
    with closing(service_store(tmp_path, store)) as database, database.engine.begin() as connection:
        config = MIGRATIONS.config()
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
        assert inspect(connection).get_table_names() == ["alembic_version"]


def _fill(connection: Connection) -> None:
    """One row in each table that the first version has, with values that every version takes."""
    account, connected = {"account_id": uuid4().hex}, {"connection_id": uuid4().hex}
    at, once = {"created_at": 1_700_000_000_000}, {"created_via": "rest"}
    platform = {"platform": "x"}
    _insert(
        connection, "accounts", id=account["account_id"], name="Ines", plan="local", status="active", **at
    )
    _insert(
        connection,
        "connections",
        id=connected["connection_id"],
        account_identifier="robin",
        display_name="Robin",
        is_available=True,
        access_token=b"sealed",
        token_expires_at=1_800_000_000_000,
        **(account | platform | at),
    )
    _insert(
        connection,
        "posts",
        id=uuid4().hex,
        post_type="text",
        status="scheduled",
        description="Hello\n🌷",
        scheduled_at=1_900_000_000_000,
        media_storage_path="",
        **(account | connected | platform | once | at),
    )
    _insert(
        connection,
        "contents",
        id=uuid4().hex,
        content_id="1",
        **(account | connected | platform | once | at),
    )


def _insert(connection: Connection, table: str, **values: object) -> None:
    names = ", ".join(values)
    places = ", ".join(f":{name}" for name in values)
    connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({places})"), values)  # noqa: S608  ours


def _empty(connection: Connection) -> None:
    for table in reversed(metadata.sorted_tables):
        connection.execute(table.delete())
