"""The settings beside an open panel, in a window of 1280 pixels: nothing scrolls sideways."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QScrollArea

from app.language import catalogue
from tests.desktop.running import run, workspace
from tests.desktop.shell.person import at_home, tomorrow
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_section_fits_beside_a_panel(
    qapp: QApplication, tmp_path: Path, service: ModelService, language: str
) -> None:
    post = service.add_post(service.add_account(), tomorrow(), "Beside the settings")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            person.controller.panels.inspect(post)
            person.window.go("settings")
            settings = person.controller.settings
            for name, section in settings._sections.items():
                settings.show_section(name)
                await until(section.isVisible)
                around = section.parentWidget()
                while around is not None:
                    if isinstance(around, QScrollArea):
                        assert around.horizontalScrollBar().maximum() == 0, name
                    around = around.parentWidget()
                for area in section.findChildren(QScrollArea):
                    assert area.horizontalScrollBar().maximum() == 0, name

    catalogue.use(language)
    try:
        run(qapp, work)
    finally:
        catalogue.use("en")
