"""Schema migrations with Alembic. Each package has its own numbered versions.

Alembic is imported only if there's something to migrate: it takes 16 MB and a fifth of a second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, MetaData, inspect, text

from app.database.dialects import WRITES
from app.database.errors import DatabaseNewerError, translated

if TYPE_CHECKING:
    from alembic.config import Config

_SCRIPTS = Path(__file__).parent / "alembic"
_LOCK = 5_180_733_201_664_927_008
"""Advisory lock for migrating a PostgreSQL database."""


@dataclass(frozen=True)
class Migrations:
    """The versions of a schema. ``folder`` contains the files, ``metadata`` the resulting tables."""

    folder: Path
    metadata: MetaData

    def upgrade(self, engine: Engine, name: str, before: Callable[[str], None] | None = None) -> None:
        """Migrate a database to the newest version; an empty one gets all tables. Blocking.

        Several processes may call this simultaneously. Raises DatabaseError with ``name`` in the message,
        also if the database has an unknown version, and anything that ``before`` raises.

        Args:
            engine: Engine of the database.
            name: What messages call the database.
            before: Called with the current version of a database that isn't empty, before it changes.
        """
        with translated(name), engine.connect() as reading, reading.begin():
            version = _version_of(reading)
        if version == self.newest:
            return
        if version > self.newest:
            newer = DatabaseNewerError(
                f"{name} was created by a newer version of Kalends. Install that version, "
                "or choose another file."
            )
            newer.name = name
            raise newer
        if before is not None and version:
            before(version)
        from alembic import command

        with translated(name), engine.connect() as plain:
            connection = plain.execution_options(**{WRITES: True})
            with connection.begin():
                wait_for_others(connection)
                config = self.config()
                config.attributes["connection"] = connection
                command.upgrade(config, "head")

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
        return max(path.name.partition("_")[0] for path in self.folder.glob("[0-9]*_*.py"))


def wait_for_others(connection: Connection) -> None:
    """Let one process migrate at a time, for as long as it needs. SQLite does this by itself."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})


def _version_of(connection: Connection) -> str:
    """Return the version of a database; empty if it has none."""
    if not inspect(connection).has_table("alembic_version"):
        return ""
    return connection.scalar(text("SELECT version_num FROM alembic_version")) or ""
