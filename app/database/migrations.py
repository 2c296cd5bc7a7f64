"""Schema migrations with Alembic. Each package has its own numbered versions.

Alembic is imported only if there's something to migrate: it takes 16 MB and a fifth of a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, Engine, MetaData, inspect, text
from sqlalchemy.exc import DBAPIError

from app.database.dialects import WRITES
from app.database.errors import DatabaseError, DatabaseNewerError, is_conflict, translated

if TYPE_CHECKING:
    from alembic.config import Config

_SCRIPTS = Path(__file__).parent / "alembic"
_FIRST = "0000"
_TRIES: Final = 60
_AGAIN_S: Final = 1.0
_LOCK_WAIT: Final = "1500ms"
"""How long a migration waits for a table. Everybody else who wants the table waits behind it.

Autovacuum only gives way to those who still wait after PostgreSQL's ``deadlock_timeout``, which is a second.
"""
_LOCK = 5_180_733_201_664_927_008
"""Advisory lock for migrating a PostgreSQL database."""


@dataclass(frozen=True)
class Migrations:
    """The versions of a schema. ``folder`` contains the files, ``metadata`` the resulting tables."""

    folder: Path
    metadata: MetaData

    def version(self, engine: Engine, name: str) -> str:
        """Return the version of a database; empty if it has no tables. Blocking. Raises DatabaseError."""
        with translated(name), engine.connect() as reading, reading.begin():
            return _version_of(reading)

    def usable_version(
        self, engine: Engine, name: str, works_with: Callable[[Connection], bool] | None = None
    ) -> str:
        """Like ``version``, for a database that this program can use, possibly after an upgrade. Blocking.

        ``works_with`` decides about databases of newer versions. Raises DatabaseError, also for those it
        refuses.
        """
        with translated(name), engine.connect() as reading, reading.begin():
            version = _version_of(reading)
            if version <= self.newest or (works_with is not None and works_with(reading)):
                return version
        newer = DatabaseNewerError(
            f"{name} was created by a newer version of Kalends. Install that version, or choose another file."
        )
        newer.name = name
        raise newer

    def upgrade(
        self,
        engine: Engine,
        name: str,
        before: Callable[[str], None] | None = None,
        *,
        works_with: Callable[[Connection], bool] | None = None,
        after: Callable[[Connection, str], None] | None = None,
    ) -> None:
        """Migrate a database to the newest version; an empty one gets all tables. Blocking.

        Several processes may call this simultaneously. If a server's database is busy, it may remain at a
        version in between; the next call continues. Raises DatabaseError with ``name`` in the message, also
        if the database has an unknown version, and anything that ``before`` raises.

        Args:
            engine: Engine of the database.
            name: What messages call the database.
            before: Called with the current version of a database that isn't empty, before it changes.
            works_with: Whether this program can use a database of a newer version. By default, it can't.
            after: Called in each transaction of the migration with the oldest version whose programs can use
                the result.
        """
        version = self.usable_version(engine, name, works_with)
        if version >= self.newest:
            return
        if before is not None and version:
            before(version)
        for target in self._stops(engine, version):
            change_schema(engine, name, partial(self._upgrade, target, after))

    def _stops(self, engine: Engine, version: str) -> Sequence[str]:
        """Return the versions at which a transaction ends.

        A server's database is in use. A step that builds an index of a large table takes long, and mustn't
        keep the locks of the steps before.
        """
        if not version or engine.dialect.name != "postgresql":
            return [self.newest]
        return [one for one in self._versions() if one > version]

    def _upgrade(
        self, target: str, after: Callable[[Connection, str], None] | None, connection: Connection
    ) -> None:
        if _version_of(connection) >= target:
            return  # another process was faster
        from alembic import command

        config = self.config()
        config.attributes["connection"] = connection
        command.upgrade(config, target)
        if after is not None:
            after(connection, self.oldest_usable())

    def oldest_usable(self) -> str:
        """Return the oldest version whose programs can use a database of the newest one.

        This is the newest version whose file sets ``breaks_older``, because it removes or changes something.
        """
        from alembic.script import ScriptDirectory

        found = [
            script.revision
            for script in ScriptDirectory.from_config(self.config()).walk_revisions()
            if getattr(script.module, "breaks_older", False)
        ]
        return max(found, default=_FIRST)

    def config(self) -> Config:
        """Return Alembic's configuration, for the runner and for tests that compare schema and tables."""
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", str(_SCRIPTS))
        config.set_main_option("version_locations", str(self.folder))
        config.set_main_option("path_separator", "newline")
        config.attributes["target_metadata"] = self.metadata
        return config

    @property
    def newest(self) -> str:
        """Number of the newest version, which is the prefix of its file name."""
        return self._versions()[-1]

    def _versions(self) -> Sequence[str]:
        """Return the numbers of all versions, oldest first."""
        return sorted(path.name.partition("_")[0] for path in self.folder.glob("[0-9]*_*.py"))


def change_schema(engine: Engine, name: str, work: Callable[[Connection], None]) -> None:
    """Run ``work`` in a transaction that changes tables while programs use them. Blocking.

    It never waits long for a table, and runs again if one is busy. Raises DatabaseError with ``name`` in the
    message.
    """
    tries = 1
    while not _changed(engine, name, work):
        if tries == _TRIES:
            raise DatabaseError(
                f"{name} couldn't be migrated completely, because its tables are busy. It can still be used. "
                "Try again when less is going on."
            )
        time.sleep(_AGAIN_S)  # programs that waited for the same table continue
        tries += 1


def _changed(engine: Engine, name: str, work: Callable[[Connection], None]) -> bool:
    """Try to run ``work``; False if a table was busy, and nothing was changed."""
    try:
        with translated(name), engine.connect() as plain:
            connection = plain.execution_options(**{WRITES: True})
            with connection.begin():
                wait_for_others(connection)
                work(connection)
    except DBAPIError as error:
        if not is_conflict(error):
            raise
        return False
    return True


def wait_for_others(connection: Connection) -> None:
    """Let one process migrate at a time, for as long as it needs. SQLite does this by itself."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_WAIT}'"))


def _version_of(connection: Connection) -> str:
    """Return the version of a database; empty if it has none."""
    if not inspect(connection).has_table("alembic_version"):
        return ""
    return connection.scalar(text("SELECT version_num FROM alembic_version")) or ""
