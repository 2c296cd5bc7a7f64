"""The SQLite file of the practice platforms. Acknowledged changes survive ``kill -9``."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE_NAME = "practice.sqlite3"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS ledger (
    number INTEGER PRIMARY KEY,
    platform TEXT NOT NULL,
    account_identifier TEXT NOT NULL,
    content_id TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL,
    title TEXT,
    link TEXT,
    board_id TEXT,
    media_sha256 TEXT,
    labels TEXT NOT NULL DEFAULT '',
    received_at TEXT NOT NULL,
    edited_at TEXT NOT NULL DEFAULT '',
    earlier_ids TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS ledger_by_account ON ledger (platform, account_identifier, number);
CREATE TABLE IF NOT EXISTS codes (
    code TEXT PRIMARY KEY,
    platform TEXT NOT NULL,
    account TEXT NOT NULL,
    identifier TEXT NOT NULL,
    client_id TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    scope TEXT NOT NULL,
    challenge TEXT NOT NULL,
    chosen TEXT NOT NULL DEFAULT '',
    expires_at REAL NOT NULL,
    spent INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS grants (
    id INTEGER PRIMARY KEY,
    platform TEXT NOT NULL,
    account TEXT NOT NULL,
    identifier TEXT NOT NULL,
    client_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    chosen TEXT NOT NULL DEFAULT '',
    revoked INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS grants_by_account ON grants (platform, identifier);
CREATE TABLE IF NOT EXISTS tokens (
    token TEXT PRIMARY KEY,
    grant_id INTEGER NOT NULL REFERENCES grants (id),
    kind TEXT NOT NULL CHECK (kind IN ('access', 'refresh')),
    subject TEXT NOT NULL DEFAULT '',
    expires_at REAL NOT NULL,
    spent INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS tokens_by_grant ON tokens (grant_id);
CREATE TABLE IF NOT EXISTS uploads (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    platform TEXT NOT NULL,
    account TEXT NOT NULL,
    purpose TEXT NOT NULL,
    size INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    details TEXT NOT NULL,
    created_at REAL NOT NULL,
    sha256 TEXT,
    kind TEXT,
    width INTEGER NOT NULL DEFAULT 0,
    height INTEGER NOT NULL DEFAULT 0,
    ready_at REAL,
    used INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS upload_parts (
    upload INTEGER NOT NULL REFERENCES uploads (id),
    place INTEGER NOT NULL,
    size INTEGER NOT NULL,
    md5 TEXT NOT NULL,
    PRIMARY KEY (upload, place)
);
CREATE TABLE IF NOT EXISTS covers (
    platform TEXT NOT NULL,
    content_id TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (platform, content_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent (
    quota TEXT NOT NULL,
    holder TEXT NOT NULL,
    slot INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (quota, holder, slot)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS faults (
    id INTEGER PRIMARY KEY,
    platform TEXT NOT NULL,
    operation TEXT NOT NULL,
    kind TEXT NOT NULL,
    account TEXT,
    remaining INTEGER NOT NULL
);
"""
# Columns missing in folders of earlier versions.
_ADDED = (
    ("codes", "chosen"),
    ("grants", "chosen"),
    ("tokens", "subject"),
    ("ledger", "labels"),
    ("ledger", "edited_at"),
    ("ledger", "earlier_ids"),
)


class Store:
    """One connection, one transaction at a time. Commits survive a kill, but not a power failure."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(
            folder / FILE_NAME, isolation_level=None, check_same_thread=False, timeout=10
        )
        self._connection.row_factory = sqlite3.Row
        try:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._connection.executescript(_SCHEMA)
            self._add_columns()
        except sqlite3.Error:
            self._connection.close()
            raise

    def _add_columns(self) -> None:
        for table, column in _ADDED:
            known = {row["name"] for row in self._connection.execute(f"PRAGMA table_info ({table})")}
            if column not in known:
                self._connection.execute(f"ALTER TABLE {table} ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Begin a write transaction: committed at the end of the block, rolled back if it raises."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise

    def rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        """Return all rows of a query."""
        with self._lock:
            return self._connection.execute(query, values).fetchall()

    def close(self) -> None:
        with self._lock:
            self._connection.close()
