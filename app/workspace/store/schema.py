"""The workspace's migrations."""

from pathlib import Path

from app.database import Migrations
from app.workspace.store.tables import metadata

MIGRATIONS = Migrations(folder=Path(__file__).parent / "migrations", metadata=metadata)
