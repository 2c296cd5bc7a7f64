"""What the real service says of its storage and its pace, over TLS."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.workspace.clock import Pace
from app.workspace.warnings.warning import WarningKind
from app.workspace.workspace import Workspace
from tests.workspace.media.samples import picture
from tests.workspace.opened import until
from tests.workspace.programs import RealService, command, real_service

BRISK = replace(Pace(), limits=0.1)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RealService]:
    with real_service(tmp_path / "programs") as running:
        yield running


@pytest.mark.variation
async def test_storage_that_is_full_is_told_of_until_there_is_more(
    tmp_path: Path, service: RealService
) -> None:
    small, large = picture(tmp_path, "a.jpg", (320, 320)), picture(tmp_path, "b.jpg", (1_600, 1_600))

    def allow(account: str, size: int) -> None:
        command("account", "set", "--data", service.data, "--account", account, "--storage-cap", str(size))

    workspace = await Workspace.open(service.client(), tmp_path / "w.db", name="Real", pace=BRISK)
    uploads = workspace.media.uploads
    try:
        await until(lambda: workspace.sync.last_synced)
        [first] = await workspace.media.add_files([small])
        await until(lambda: (found := uploads.get(first.id)) and found.is_done)
        done = uploads.get(first.id)
        assert done is not None
        owner = done.storage_path.partition("/")[0]
        await asyncio.to_thread(allow, owner, small.stat().st_size + 10)
        [second] = await uploads.add(await workspace.media.look_at([large]))
        await until(lambda: workspace.warnings.listed)
        [warning] = workspace.warnings.listed
        assert warning.kind is WarningKind.NO_ROOM
        assert (warning.needs, warning.free) == (large.stat().st_size, 10)
        asked = workspace._watch._sources.asked
        await until(lambda: asked.limits.creating)  # room and pace may come with different answers
        pace = asked.limits.creating
        assert pace is not None
        assert pace.limit == pace.remaining
        await asyncio.to_thread(allow, owner, 10**9)
        await workspace.media.retry(second.id)
        await until(lambda: not workspace.warnings.listed)
    finally:
        await workspace.close()
