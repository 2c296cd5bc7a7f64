"""What is on disk is shown while the service says nothing."""

import asyncio
from pathlib import Path
from typing import NoReturn
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtWidgets import QApplication

from app.desktop.inspector import Inspector
from app.workspace.clock import wall_clock
from app.workspace.posts.reading import PostReader
from tests.desktop.running import run, shown, workspace
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

LISBON = ZoneInfo("Europe/Lisbon")


def test_a_silent_service_does_not_hide_the_text(
    qapp: QApplication, tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.add_post(service.add_account(), wall_clock() + 86_400_000, "On disk")

    async def say_nothing(*_: object) -> NoReturn:
        await asyncio.Event().wait()
        raise AssertionError("nobody waits for it")

    monkeypatch.setattr(PostReader, "_attempts", say_nothing)

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(Inspector(opened, LISBON, opened.posts.all()[0].key)) as panel,
        ):
            await until(lambda: panel.preview.text.words == "On disk")
            assert not panel.has_loaded

    run(qapp, work)
