"""The pane of accounts, on its service."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.desktop.connections.pane import ConnectionsPane
from tests.desktop.connections.arriving import Connecting, OnPane
from tests.desktop.running import run, shown, workspace
from tests.workspace.model_service import ModelService


@pytest.fixture
def on_pane(qapp: QApplication, tmp_path: Path, service: ModelService) -> OnPane:
    def play(story: Callable[[Connecting], Awaitable[None]]) -> None:
        async def work() -> None:
            async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
                await story(Connecting(opened, pane))

        run(qapp, work)

    return play
