"""A service with three files, and an account for posts."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.workspace.clock import Pace
from tests.desktop.media.seeing import MIB, OnPane, Seen, jpeg, seen
from tests.desktop.running import run, service_of_today
from tests.workspace.media.samples import SlowLine
from tests.workspace.media.uploading import on_a_slow_line
from tests.workspace.model_service import ModelService
from tests.workspace.opened import QUICK, opened


@pytest.fixture
def service() -> ModelService:
    """Three files, and an account for posts."""
    made = service_of_today()
    made.offers, made.tells_usage, made.room = ("media",), True, 10 * MIB
    made.add_account("x")
    made.files = {"me/Café.jpg": jpeg(80), "me/walk-0a1b2c3d.mp4": b"\0\0\0\x18ftypmp42" + b"\0" * 99}
    made.files["me/coat.jpg"] = jpeg(900)
    return made


@pytest.fixture
def on_pane(qapp: QApplication, tmp_path: Path, service: ModelService) -> OnPane:
    def play(
        story: Callable[[Seen], Awaitable[None]], *, line: SlowLine | None = None, pace: Pace = QUICK
    ) -> None:
        async def work() -> None:
            there = on_a_slow_line(tmp_path, line) if line else opened(tmp_path, service, pace=pace)
            async with there as workspace:
                await workspace.refresh()
                async with seen(workspace) as now:
                    await story(now)

        run(qapp, work)

    return play
