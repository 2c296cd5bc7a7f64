"""The composer, over a service in memory."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.desktop.composer import ComposerPanel
from tests.desktop.composer.composing import Compose, Story, ready
from tests.desktop.running import LISBON, run, shown, workspace
from tests.workspace.model_service import ModelService


@pytest.fixture
def compose(qapp: QApplication, tmp_path: Path, service: ModelService) -> Compose:
    """Opens a workspace and its composer, plays a story once it can be written, and closes both."""

    def play(story: Story, at: int | None = None) -> None:
        async def work() -> None:
            async with (
                workspace(tmp_path, service) as opened,
                shown(ComposerPanel(opened, LISBON, at)) as panel,
            ):
                await ready(panel)
                await story(opened, panel)

        run(qapp, work)

    return play
