"""What limits a large installation on PostgreSQL: commits a second, row sizes, and updates within a page.

Commits are measured with and without the locks that a database keeps until an update is finished.
"""

import argparse
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Final
from uuid import UUID, uuid4

import psycopg
from alembic import command
from psycopg import sql

from app.database.postgresql import postgresql_engine, postgresql_url
from app.service.store.folder import MIGRATIONS
from tests.benchmarks.registry import Benchmark, Result, step
from tests.postgres import running_cluster

_SUMMARY: Final = "commits a second, bytes a row with indexes, and the share of HOT updates, on PostgreSQL"
_WITH_LOCKS: Final = "0026"
"""The last version of the database whose writers wait for each other."""
_TABLES: Final = ("posts", "attempts", "contents", "metrics", "changes", "idempotency_keys")
_FILL: Final = (
    """
    INSERT INTO posts (
        id, account_id, connection_id, platform, post_type, status, description, scheduled_at,
        media_storage_path, created_via, created_at
    )
    SELECT gen_random_uuid(), %(account)s, %(connection)s, 'x', 'text', 'scheduled', repeat('words ', 35), n,
        '', 'rest', n
    FROM generate_series(1, %(count)s) AS n
    """,
    """
    INSERT INTO attempts (id, post_id, account_id, step, outcome, started_at, finished_at, content_id)
    SELECT gen_random_uuid(), id, account_id, 'publish', 'published', created_at, created_at, id::text
    FROM posts
    """,
    """
    INSERT INTO contents (
        id, account_id, connection_id, platform, content_id, post_id, description, created_via, created_at,
        url
    )
    SELECT gen_random_uuid(), account_id, connection_id, platform, id::text, id, description, 'rest',
        created_at, 'https://x.com/i/status/' || created_at
    FROM posts
    """,
    """
    INSERT INTO metrics (
        id, account_id, connection_id, platform, content_id, metric_date, views, likes, comments, shares,
        subscribers, created_at
    )
    SELECT gen_random_uuid(), account_id, connection_id, platform, id::text, DATE '2031-01-01', 9, 9, 9, 9, 9,
        created_at
    FROM posts
    """,
    """
    INSERT INTO idempotency_keys (account_id, idempotency_key, request_hash, post_id, created_at)
    SELECT account_id, gen_random_uuid()::text, repeat('f', 64), id, created_at FROM posts
    """,
)
_PUBLISH: Final = (
    "UPDATE posts SET status = 'queued', claimed_by = gen_random_uuid(), claimed_until = 1",
    "UPDATE posts SET status = 'processing', claimed_until = 2",
    "UPDATE posts SET status = 'posted', claimed_by = NULL, claimed_until = NULL, posted_at = 3",
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--writers", type=int, default=32, metavar="N", help="connections that commit (32)")
    parser.add_argument("--seconds", type=float, default=5, metavar="S", help="duration per variant (5)")
    parser.add_argument("--posts", type=int, default=100_000, metavar="N", help="posts for sizes (100000)")


def run(options: argparse.Namespace) -> Result:
    """Measure on a cluster that flushes commits to disk."""
    with running_cluster(durable=True) as cluster:
        locked, free = (cluster.create_database(MIGRATIONS) for _ in range(2))
        _downgrade(locked)
        with step("commits with locks"):
            before = _commits(locked, options.writers, options.seconds)
        with step("commits"):
            after = _commits(free, options.writers, options.seconds)
        with step("sizes"):
            sizes = _sizes(cluster.create_database(MIGRATIONS), options.posts)
    return Result({"commits_per_s": after, **sizes}, {"commits_per_s_with_locks": before})


def _downgrade(url: str) -> None:
    engine = postgresql_engine(postgresql_url(url))
    with engine.begin() as connection:
        config = MIGRATIONS.config()
        config.attributes["connection"] = connection
        command.downgrade(config, _WITH_LOCKS)
    engine.dispose()


def _owner(rows: "psycopg.Connection[Any]") -> tuple[UUID, UUID]:
    """Create an account with a connection."""
    account, connection = uuid4(), uuid4()
    rows.execute(
        "INSERT INTO accounts (id, name, plan, status, created_at) VALUES (%s, 'A', 'local', 'active', 0)",
        (account,),
    )
    rows.execute(
        "INSERT INTO connections (id, account_id, platform, account_identifier, is_available, access_token,"
        " created_at) VALUES (%s, %s, 'x', %s, true, 'x', 0)",
        (connection, account, connection.hex),
    )
    return account, connection


def _commits(url: str, writers: int, seconds: float) -> float:
    """Change one post per transaction on each connection; return commits a second."""
    with ExitStack() as stack:
        with psycopg.connect(url) as rows:
            account, connection = _owner(rows)
            rows.execute(_FILL[0], {"account": account, "connection": connection, "count": writers})
            ids = [post for (post,) in rows.execute("SELECT id FROM posts").fetchall()]
        lines = [stack.enter_context(psycopg.connect(url, autocommit=True)) for _ in ids]
        counts, until = [0] * writers, time.monotonic() + seconds

        def write(number: int) -> None:
            while time.monotonic() < until:
                values = (f"{'posted' if counts[number] % 2 else 'queued'}", ids[number])
                lines[number].execute("UPDATE posts SET status = %s WHERE id = %s", values)
                counts[number] += 1

        threads = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(counts) / seconds


def _sizes(url: str, count: int) -> Mapping[str, float]:
    with psycopg.connect(url, autocommit=True) as rows:
        account, connection = _owner(rows)
        for statement in _FILL:
            rows.execute(statement, {"account": account, "connection": connection, "count": count})
        rows.execute("VACUUM ANALYZE")
        found = dict(_bytes(rows, _TABLES))
        for statement in _PUBLISH:
            rows.execute(statement)
            rows.execute("VACUUM posts")
        rows.execute("SELECT pg_stat_force_next_flush()")
        share = rows.execute(
            "SELECT n_tup_hot_upd::float / n_tup_upd FROM pg_stat_user_tables WHERE relname = 'posts'"
        ).fetchone()
        assert share is not None
        return {**found, "hot_updates_of_posts": share[0]}


def _bytes(rows: "psycopg.Connection[Any]", tables: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield bytes a row: of the table, and of the table with its indexes."""
    for table in tables:
        sized = sql.SQL(
            "SELECT pg_table_size({name})::float / count(*), pg_total_relation_size({name})::float / count(*)"
            " FROM {table}"
        ).format(name=sql.Literal(table), table=sql.Identifier(table))
        row = rows.execute(sized).fetchone()
        assert row is not None
        yield f"{table}_bytes", row[0]
        yield f"{table}_bytes_with_indexes", row[1]


BENCHMARK = Benchmark("scale", _SUMMARY, add_options, run)
