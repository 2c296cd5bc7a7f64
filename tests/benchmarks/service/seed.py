"""A store with many posts of one account, created with SQL."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

EVERY: Final = timedelta(minutes=1)
"""Time between posts."""

_CONNECTION: Final = """
    INSERT INTO connections (id, account_id, platform, account_identifier, is_available, access_token,
        created_at)
    VALUES (:connection, :account, 'linkedin', 'benchmark', 1, x'00', :newest)
"""
_POSTS: Final = """
    WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n + 1 < :count)
    INSERT INTO posts (id, account_id, connection_id, platform, post_type, status, title, description,
        scheduled_at, posted_at, media_storage_path, batch_id, created_via, created_at)
    SELECT lower(hex(randomblob(16))), :account, :connection, 'linkedin', 'text',
        CASE WHEN n % 10 = 0 THEN 'failed' ELSE 'posted' END, 'Three things linen taught me',
        'Post ' || n || ': new colours from the dye pot, a note on the weave, and where to find us.',
        :newest - n * :every, CASE WHEN n % 10 = 0 THEN NULL ELSE :newest - n * :every END,
        '', CASE WHEN n % 5 = 0 THEN 'batch-' || (n / 50) END, 'rest', :newest - n * :every
    FROM number
"""
_INDEXES: Final = (
    "SELECT name, sql FROM sqlite_master WHERE tbl_name = 'posts' AND type = 'index' AND sql <> ''"
)


def seed(
    database: Path, account_id: UUID, connection_id: UUID, count: int, every: timedelta = EVERY
) -> datetime:
    """Store a connection and `count` past posts, `every` apart; return the time of the newest one.

    Creating the indexes afterwards takes a fraction of the time.
    """
    newest = datetime.now(UTC).replace(second=0, microsecond=0)
    values = {
        "count": count,
        "account": account_id.hex,
        "connection": connection_id.hex,
        "newest": int(newest.timestamp() * 1_000),
        "every": every // timedelta(milliseconds=1),
    }
    with closing(sqlite3.connect(database)) as rows, rows:
        rows.execute("PRAGMA cache_size = -200000")
        indexes = rows.execute(_INDEXES).fetchall()
        for name, _ in indexes:
            rows.execute(f"DROP INDEX {name}")
        rows.execute(_CONNECTION, values)
        rows.execute(_POSTS, values)
        for _, made_by in indexes:
            rows.execute(made_by)
    return newest
