"""Time passes between two looks at the clock, and what becomes due in between is not forgotten."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.workspace.media.local_file import LocalFile
from tests.workspace.model_service import HOUR, START, HandClock, ModelService
from tests.workspace.opened import QUICK, Opened, opened, until

_RARELY = replace(QUICK, poll_active=600, poll_idle=600, everything=600)
"""Nothing else happens that could wake those who wait."""


class LeapingLoop(asyncio.SelectorEventLoop):
    """A loop on a computer so busy that much time passes between any two looks at its clock."""

    LEAP_S = 0.004
    _looks = 0

    def time(self) -> float:
        self._looks += 1
        return super().time() + self._looks * self.LEAP_S


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
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n")

    async def story(workspace: Opened) -> None:
        await until(lambda: workspace.sync.connected)
        service.faults += [("POST", "500")] * 100
        (upload,) = await workspace.uploads.add([LocalFile(str(picture), picture.stat().st_size, 1, "image/png")])
        await until(lambda: not service.faults)
        await until(lambda: (now := workspace.uploads.get(upload.id)) is None or now.is_done)

    tell(tmp_path, service, story)
