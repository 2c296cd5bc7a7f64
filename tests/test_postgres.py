"""Recycled test databases: only those that are like new."""

from uuid import uuid4

import psycopg

from app.service.store.folder import MIGRATIONS
from tests.stores import postgres_cluster

_ACCOUNT = """
INSERT INTO accounts (id, name, plan, status, created_at) VALUES (%s, 'Ines', 'local', 'active', 0)
"""


def test_only_a_database_that_nobody_uses_or_has_changed_is_made_as_new() -> None:
    cluster = postgres_cluster()
    url = cluster.create_database(MIGRATIONS)
    with psycopg.connect(url) as connection:
        connection.execute(_ACCOUNT, [uuid4()])
    assert cluster.clear_database(url)
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM accounts").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM alembic_version").fetchone() == (1,)
        assert not cluster.clear_database(url)
        connection.execute("CREATE INDEX one_more ON accounts (created_at)")
    assert not cluster.clear_database(url)
