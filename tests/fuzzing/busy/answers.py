"""Random responses of a service, and their effect on the app."""

import asyncio
import logging
import tempfile
from pathlib import Path

from stamina.instrumentation import set_on_retry_hooks

from app.desktop.collector import Collection
from app.workspace.store.tables import MIGRATIONS
from tests.fuzzing.busy.findings import Finding, Findings
from tests.hostile.calm import live
from tests.hostile.kinds.seeded import PREFIX
from tests.hostile.running import service
from tests.migrated import lay


def fuzz(seed: int, count: int) -> Findings:
    """Run the app with ``count`` services, one after the other. Raises AssertionError if one breaks it."""
    findings = Findings()
    set_on_retry_hooks(())  # they would log every retry
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="kalends-busy-") as folder, service(Path(folder)) as running:
        for number in range(count):
            name, path = f"{PREFIX}{seed}-{number}", Path(folder) / f"{number}.db"
            lay(path, MIGRATIONS)
            collection = Collection()
            try:
                life = asyncio.run(live(running.visit(name), path, collection))
            finally:
                collection.stop()
            outcome = f"in step {life.recovery_s:.2f} s after it was well"
            findings.add(Finding(number, name, outcome, life.stall_ms, life.grown_mb))
    return findings
