"""A backup of a calendar while its service runs, restored on the same and on another computer."""

from pathlib import Path

import pytest

from app.contract.media import RequestUploadUrl
from app.desktop.application import Application
from app.desktop.settings.rows import ConfirmSheet
from app.desktop.shell.main_controller import MainController
from app.desktop.welcome import WelcomeScreen
from app.desktop.widgets import Label, MessageStrip
from app.workspace.editing.draft import ComposerDraft
from tests.journeys.conftest import Play
from tests.journeys.stage import ZONE
from tests.workspace.opened import until

_PATIENCE_S = 60


def begun(folder: Path) -> Application:
    application = Application(folder, ZONE)
    assert application.take_folder()
    application.window.show()
    return application


def controller_of(application: Application) -> MainController:
    assert application.controller is not None
    return application.controller


def drafts(application: Application) -> list[str]:
    return sorted(draft.content.text for draft in controller_of(application).workspace.drafts.all())


async def write(application: Application, text: str) -> None:
    workspace = controller_of(application).workspace
    workspace.drafts.keep(ComposerDraft(text))
    await until(lambda: workspace.is_writing_kept)


async def back_up(application: Application, to: Path) -> None:
    controller_of(application).settings.data.back_up(to)
    await until(to.exists)


async def restore(application: Application, file: Path) -> None:
    """Choose the file, wait for the question, and confirm."""
    window, before = application.window, controller_of(application)
    window.go("settings")
    before.settings.show_section("data")
    before.settings.data.test(file)
    await until(lambda: window.findChildren(ConfirmSheet))
    (sheet,) = window.findChildren(ConfirmSheet)
    await until(lambda: sheet.go.isVisible() and sheet.go.isEnabled())
    sheet.go.click()
    await until(lambda: application.controller not in (None, before), patience=_PATIENCE_S)
    await until(lambda: any("Backup restored" in text for text in window.messages.texts()))


def test_what_was_written_after_a_backup_is_set_aside_when_it_is_restored(tmp_path: Path, play: Play) -> None:
    async def journey() -> None:
        application = begun(tmp_path / "app")
        try:
            await application.begin_here(practice=False)
            await write(application, "before")
            await back_up(application, tmp_path / "kept.zip")
            await write(application, "after")
            await restore(application, tmp_path / "kept.zip")
            assert drafts(application) == ["before"]
            await controller_of(application).workspace.refresh()
            assert controller_of(application).workspace.sync.connected
            assert len(list((tmp_path / "app" / "set-aside").iterdir())) == 1
        finally:
            await application.close()

    play(journey())


@pytest.mark.variation
def test_another_computer_makes_a_key_for_the_account_that_came_with_a_backup(
    tmp_path: Path, play: Play
) -> None:
    async def journey() -> None:
        here, there = begun(tmp_path / "here"), begun(tmp_path / "there")
        try:
            await here.begin_here(practice=False)
            await write(here, "carried over")
            await back_up(here, tmp_path / "kept.zip")
            account = await account_of(here)
            await here.leave()
            await there.begin_here(practice=False)
            assert await account_of(there) != account
            await restore(there, tmp_path / "kept.zip")
            assert drafts(there) == ["carried over"]
            assert await account_of(there) == account
        finally:
            await here.close()
            await there.close()

    play(journey())


@pytest.mark.variation
def test_a_new_computer_starts_with_a_backup(tmp_path: Path, play: Play) -> None:
    async def journey() -> None:
        here, there = begun(tmp_path / "here"), begun(tmp_path / "there")
        (tmp_path / "none.zip").write_text("no zip", "utf-8")
        try:
            await here.begin_here(practice=False)
            await write(here, "carried over")
            await back_up(here, tmp_path / "kept.zip")
            await here.leave()
            await there.begin()
            await there.begin_with_backup(tmp_path / "none.zip")
            (welcome,) = there.window.findChildren(WelcomeScreen)
            assert any("zip file" in strip.findChildren(Label)[0].text() for strip in strips(welcome))
            assert welcome.restore.isVisible()
            assert not there.show_welcome().restore.isVisible()  # as after a calendar that can't be opened
            await there.begin_with_backup(tmp_path / "kept.zip")
            assert drafts(there) == ["carried over"]
            (said,) = [text for text in there.window.messages.texts() if "Backup restored" in text]
            assert "previous data" not in said
        finally:
            await here.close()
            await there.close()

    play(journey())


def strips(welcome: WelcomeScreen) -> list[MessageStrip]:
    return [strip for strip in welcome.findChildren(MessageStrip) if strip.isVisible()]


async def account_of(application: Application) -> str:
    """Return an account's ID from an upload URL, because its files are stored under it."""
    client = controller_of(application).workspace._core.client
    asked = RequestUploadUrl(filename="a.png", content_type="image/png", size_bytes=10)
    return (await client.media.request_upload(asked)).storage_path.partition("/")[0]
