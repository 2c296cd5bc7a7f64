"""Partial indexes in each database's syntax."""

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, create_engine

from app.database import Database
from app.database.dialects import partial_index
from app.database.postgresql import postgresql_engine, postgresql_url
from tests.stores import postgres_cluster


@pytest.fixture
def schema() -> MetaData:
    schema = MetaData()
    index = partial_index("ix_queue_waiting", "due", where="due IS NOT NULL")
    Table("queue", schema, Column("id", Integer, primary_key=True), Column("due", Integer), index)
    return schema


def test_sqlite_indexes_the_rows_that_match(schema: MetaData) -> None:
    engine = create_engine("sqlite://")
    with engine.begin() as rows:
        schema.create_all(rows)
        written = rows.exec_driver_sql("SELECT sql FROM sqlite_master WHERE type = 'index'").scalar_one()
    engine.dispose()
    assert written.endswith("(due) WHERE due IS NOT NULL")


def test_postgresql_indexes_the_rows_that_match(schema: MetaData) -> None:
    database = Database(postgresql_engine(postgresql_url(postgres_cluster().create_database())), "queue")
    try:
        database.write_now(schema.create_all)
        written = database.read_now(
            lambda rows: rows.exec_driver_sql(
                "SELECT indexdef FROM pg_indexes WHERE indexname = 'ix_queue_waiting'"
            ).scalar_one()
        )
    finally:
        database.close()
    assert written.endswith("(due) WHERE (due IS NOT NULL)")
