"""The way back to an earlier text."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.desktop.composer import ComposerPanel
from app.desktop.theme import theme
from tests.desktop.composer.test_panel import LISBON, ready
from tests.desktop.running import run, service_of_today, shown, workspace
from tests.workspace.model_service import ModelService

LONG = "The long wool coat is back: same pattern, heavier cloth & pockets."


@pytest.fixture
def service() -> ModelService:
    return service_of_today()


def test_a_text_that_was_deleted_is_written_again_and_back(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    theme.apply(qapp, "light")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ComposerPanel(opened, LISBON)) as panel:
            await ready(panel)
            assert [entry.isEnabled() for entry in (await panel.earlier.menu()).actions()] == [False]
            panel.text_box.editor.setPlainText(LONG)
            panel._keep()
            panel.text_box.editor.setPlainText("Gone.")
            panel._keep()
            (entry,) = (await panel.earlier.menu()).actions()
            assert entry.text().endswith("  The long wool coat is back: same pattern, h…")
            entry.trigger()
            assert panel.writing.text == LONG
            assert panel.text_box.text() == LONG
            labels = [entry.text() for entry in (await panel.earlier.menu()).actions()]
            assert [label.split("  ")[1][:5] for label in labels] == ["Gone.", "The l"]

    run(qapp, work)
