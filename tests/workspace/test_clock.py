"""Time passes between two looks at the clock, and what becomes due in between is not forgotten."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.workspace.media.samples import picture
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import QUICK, Opened, opened

_RARELY = replace(QUICK, poll_active=600, poll_idle=600, everything=600)
"""Nothing else happens that could wake those who wait."""


_PATIENCE_S = 30


class LeapingLoop(asyncio.SelectorEventLoop):
    """A loop on a computer so busy that much time passes between any two looks at its clock."""

    LEAP_S = 0.001
    _looks = 0

    def time(self) -> float:
        self._looks += 1
        return super().time() + self._looks * self.LEAP_S


async def until(condition: Callable[[], object]) -> None:
    """Waits by a clock that does not leap."""
    end = time.monotonic() + _PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "it was waited for in vain"
        await asyncio.sleep(0.002)


@pytest.fixture
def service() -> ModelService:
    return ModelService(HandClock())


def tell(folder: Path, service: ModelService, story: Callable[[Opened], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with opened(folder, service, pace=_RARELY) as workspace:
            await story(workspace)

    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        runner.run(whole())


def test_a_change_that_fails_again_and_again_is_sent_at_last(tmp_path: Path, service: ModelService) -> None:
    key = service.add_post(service.add_account(), START + HOUR)

    async def story(workspace: Opened) -> None:
        await until(lambda: len(workspace.posts) == 1)
        service.faults += [("PATCH", "garbage")] * 100
        workspace.move({key: START + 2 * HOUR})
        await until(lambda: not service.faults)
        await until(lambda: workspace.sync.waiting == 0)

    tell(tmp_path, service, story)


def test_an_upload_that_fails_again_and_again_is_done_at_last(tmp_path: Path, service: ModelService) -> None:
    async def story(workspace: Opened) -> None:
        await until(lambda: workspace.sync.connected)
        service.faults += [("POST", "500")] * 100
        (upload,) = await workspace.media.add_files([picture(tmp_path)])
        await until(lambda: not service.faults)
        await until(lambda: (now := workspace.media.uploads.get(upload.id)) is not None and now.is_done)

    tell(tmp_path, service, story)
