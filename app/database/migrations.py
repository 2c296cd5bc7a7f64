"""Schema migrations by Alembic; each room keeps its own numbered versions."""

from dataclasses import dataclass
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, MetaData

from app.database.engines import WRITES
from app.database.errors import translated

_SCRIPTS = Path(__file__).parent / "alembic"


@dataclass(frozen=True)
class Migrations:
    """The versions of one schema: ``folder`` holds the files, ``metadata`` the tables they lead to."""

    folder: Path
    metadata: MetaData

    def upgrade(self, engine: Engine, name: str) -> None:
        """Brings a database to the newest version; an empty one gets all tables. Blocking.

        Raises DatabaseDamagedError or DiskFullError with ``name`` in the sentence.
        """
        with translated(name), engine.connect() as plain:
            connection = plain.execution_options(**{WRITES: True})
            with connection.begin():
                config = self.config()
                config.attributes["connection"] = connection
                command.upgrade(config, "head")

    def config(self) -> Config:
        """Alembic's configuration, for the runner and for tests that compare schema and tables."""
        config = Config()
        config.set_main_option("script_location", str(_SCRIPTS))
        config.set_main_option("version_locations", str(self.folder))
        config.set_main_option("path_separator", "newline")
        config.attributes["target_metadata"] = self.metadata
        return config
