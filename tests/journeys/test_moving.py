"""A calendar moves from this computer to a server and back, in the window."""

import time
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.desktop.application import Application
from app.desktop.moving.screen import MoveScreen
from app.desktop.settings.move_sheets import MoveThereSheet
from app.desktop.settings.rows import ConfirmSheet
from app.desktop.welcome.service_form import TrustPanel
from app.workspace.posts.new import NewPost
from tests.journeys.conftest import Play
from tests.journeys.stage import ZONE
from tests.workspace.opened import until
from tests.workspace.programs import real_service

BY_HAND = ConnectionPlatform("x-by-hand")
HOUR = 3_600_000


def _shown(application: Application, kind: type[QWidget]) -> list[QWidget]:
    return [one for one in application.window.findChildren(kind) if one.isVisible()]


async def _open_calendars(application: Application) -> None:
    assert application.controller is not None
    application.window.go("settings")
    application.controller.settings.show_section("calendars")
    row = application.controller.settings.calendars.move_row
    await until(row.isVisible)
    row.button.click()


async def _texts(application: Application) -> None:
    assert application.visit is not None
    workspace = application.visit.workspace
    await until(lambda: workspace.sync.connected, patience=60)
    await until(lambda: [post.headline for post in workspace.posts.all()] == ["Wool"], patience=60)


async def _until_moved(application: Application, *, is_embedded: bool) -> None:
    await until(lambda: _shown(application, MoveScreen), patience=60)
    await until(
        lambda: application.visit is not None and application.visit.home.is_embedded is is_embedded,
        patience=120,
    )
    assert not _shown(application, MoveScreen)


@pytest.mark.variation
def test_a_calendar_moves_to_a_server_and_back(tmp_path: Path, play: Play) -> None:
    async def journey() -> None:
        application = Application(tmp_path / "data", ZONE)
        application.window.resize(1280, 800)
        application.window.show()
        assert application.take_folder()
        await application.begin()
        await application.begin_here(practice=False)
        assert application.visit is not None
        workspace = application.visit.workspace
        await until(lambda: workspace.places.offered, patience=60)
        account = await workspace.places.connect(BY_HAND, "@mira", "")
        at = time.time_ns() // 1_000_000 + HOUR
        workspace.plan([NewPost(account.key, PostingPlatform(BY_HAND), PostType.TEXT, "Wool", at=at)])
        await until(lambda: workspace.sync.waiting == 0)

        await _open_calendars(application)
        (sheet,) = _shown(application, MoveThereSheet)
        assert isinstance(sheet, MoveThereSheet)
        sheet.form.address.setText(service.base_url)
        sheet.form.key.setText(service.key)
        sheet.form.submit.click()
        await until(lambda: _shown(application, TrustPanel), patience=60)
        (panel,) = _shown(application, TrustPanel)
        assert isinstance(panel, TrustPanel)
        panel.compared.click()
        panel.accept.click()
        await _until_moved(application, is_embedded=False)
        await _texts(application)

        await _open_calendars(application)
        (asked,) = _shown(application, ConfirmSheet)
        assert isinstance(asked, ConfirmSheet)
        asked.go.click()
        await _until_moved(application, is_embedded=True)
        await _texts(application)
        await application.close()
        application.window.deleteLater()

    with real_service(tmp_path / "server") as service:
        play(journey())
