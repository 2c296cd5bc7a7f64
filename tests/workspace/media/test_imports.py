"""An import from an address that the end of the app cut off is there again, with what to do about it."""

import asyncio
import subprocess
import sys
from pathlib import Path

from app.workspace.media.imports import ImportState
from tests.workspace.media.killed_fetching import URL
from tests.workspace.media.samples import picture
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import opened, until


def test_an_import_that_a_kill_cut_off_is_listed_tried_again_and_then_forgotten(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.workspace.media.killed_fetching", str(tmp_path)]
    assert subprocess.run(words, check=False).returncode != 0
    service = ModelService(HandClock())
    service.web[URL] = picture(tmp_path, "linen.jpg").read_bytes()

    async def story() -> None:
        async with opened(tmp_path, service) as workspace:
            imports = workspace.media.imports
            (one,) = imports.all()
            assert (one.name, one.state) == ("linen.jpg", ImportState.FAILED)
            assert "closed during this import" in one.reason
            assert await workspace.media.library.items() == []
            imports.retry(one.id)
            await until(lambda: imports.all()[0].state is ImportState.DONE)
        async with opened(tmp_path, service) as workspace:
            assert workspace.media.imports.all() == []
            assert [item.name for item in await workspace.media.library.items()] == ["linen.jpg"]

    asyncio.run(story())
