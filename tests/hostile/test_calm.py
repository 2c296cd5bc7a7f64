"""No response blocks the event loop, fills the memory, or permanently breaks synchronization."""

import asyncio
from pathlib import Path
from typing import Final

import pytest

from app.desktop.collector import Collection
from app.workspace.store.tables import MIGRATIONS
from tests.hostile.calm import live
from tests.hostile.kinds import companions
from tests.hostile.running import Service
from tests.hostile.variation import Variation
from tests.migrated import lay

_STALL_MS: Final = 100.0
_GROWN_MB: Final = 100.0


@pytest.mark.parametrize(
    "variation", companions.VARIATIONS, ids=[variation.name for variation in companions.VARIATIONS]
)
def test_the_workspace_stays_calm_and_recovers(tmp_path: Path, other: Service, variation: Variation) -> None:
    path = tmp_path / "workspace.db"
    lay(path, MIGRATIONS)
    collection = Collection()
    try:
        life = asyncio.run(live(other.visit(variation.name), path, collection))
    finally:
        collection.stop()
    assert life.stall_ms < _STALL_MS
    assert life.grown_mb < _GROWN_MB
