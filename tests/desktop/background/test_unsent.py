"""Closing a calendar whose changes haven't reached a service elsewhere."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.desktop.background.background import Background
from app.desktop.background.unsaved import UnsavedSheet
from app.desktop.background.unsent import KeepOpenSheet, UnfinishedSheet, unless_unpublished
from app.desktop.composer import ComposerPanel
from app.desktop.shell.main_controller import MainController
from app.workspace.clock import wall_clock
from app.workspace.editing.draft import ComposerDraft
from tests.desktop.background.test_background import living, service
from tests.desktop.background.test_replaced import Recorded
from tests.desktop.background.test_unsaved import close, quit_, restart
from tests.desktop.running import run
from tests.workspace.model_service import HOUR, ModelService
from tests.workspace.opened import new_post, until
from tests.workspace.test_opening_rescue import no_room

__all__ = ["service"]
pytestmark = pytest.mark.qt_log_ignore("No such signal QPlatformNativeInterface::systemTrayWindowChanged")


def sheets(controller: MainController) -> list[KeepOpenSheet]:
    return [one for one in controller.window.findChildren(KeepOpenSheet) if one.isVisible()]


Ways = pytest.mark.parametrize("way", [quit_, close])


@Ways
def test_it_is_asked_before_changes_are_left_unsent(
    qapp: QApplication,
    tmp_path: Path,
    service: ModelService,
    way: Callable[[Background, MainController], None],
) -> None:
    async def work() -> None:
        async with living(tmp_path, service, runs_here=False) as (background, controller, ends):
            made, (account, *_) = controller.workspace, controller.workspace.accounts
            service.online = False
            made.plan([new_post(account, "For this afternoon", wall_clock() + 9 * HOUR)])
            await until(lambda: not made.sync.saving)
            way(background, controller)
            way(background, controller)  # asks no second time
            [sheet] = sheets(controller)
            assert sheet.accessibleName() == "1 change hasn't reached the service"
            assert sheet.stay.hasFocus()
            sheet.stay.click()
            await until(lambda: not sheets(controller))
            assert (ends, controller.window.isVisible()) == ([], True)
            way(background, controller)
            [sheet] = sheets(controller)
            sheet.go.click()
            await until(lambda: ends)

    run(qapp, work)


@Ways
def test_nothing_is_asked_once_everything_was_sent(
    qapp: QApplication,
    tmp_path: Path,
    service: ModelService,
    way: Callable[[Background, MainController], None],
) -> None:
    async def work() -> None:
        async with living(tmp_path, service, runs_here=False) as (background, controller, ends):
            made, (account, *_) = controller.workspace, controller.workspace.accounts
            made.plan([new_post(account, "For this afternoon", wall_clock() + 9 * HOUR)])
            await until(lambda: made.sync.waiting == 0)
            way(background, controller)
            await until(lambda: ends)

    run(qapp, work)


def test_it_is_asked_before_scheduled_posts_of_this_computer_are_left(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with living(tmp_path, service, runs_here=True) as (_background, controller, _ends):
            made, (account, *_) = controller.workspace, controller.workspace.accounts
            left: list[bool] = []

            def leave() -> None:
                unless_unpublished(controller.window, controller, lambda: left.append(True))

            made.cancel([post.key for post in made.posts.all()])
            leave()
            assert left == [True]
            made.plan([new_post(account, "For this afternoon", wall_clock() + 9 * HOUR)])
            leave()
            [sheet] = sheets(controller)
            assert sheet.accessibleName() == "1 post won't be published while another calendar is open"
            assert left == [True]
            sheet.go.click()
            assert left == [True, True]

    run(qapp, work)


async def wait_for_file(controller: MainController) -> ComposerPanel:
    """Press Publish now in the composer while its file is uploading."""
    made, (account, *_) = controller.workspace, controller.workspace.accounts
    made.save_composer(ComposerDraft("With a film", (account,)))
    panel = controller.panels.compose()
    await until(lambda: not panel.text_box.editor.isReadOnly())
    panel.waiting.for_upload(1, panel.schedule, at_once=True)
    return panel


@pytest.mark.parametrize("runs_here", [True, False])
@pytest.mark.parametrize("way", [quit_, close, restart])
def test_it_is_asked_while_a_post_waits_for_its_file(
    qapp: QApplication,
    tmp_path: Path,
    service: ModelService,
    way: Callable[[Background, MainController], None],
    monkeypatch: pytest.MonkeyPatch,
    runs_here: bool,
) -> None:
    monkeypatch.setattr(sys, "argv", ["kalends", "--data", str(tmp_path)])

    async def work() -> None:
        async with living(tmp_path, service, runs_here=runs_here, tray=False) as (
            background,
            controller,
            ends,
        ):
            background._replacement._successor = Recorded("kalends")
            panel = await wait_for_file(controller)
            way(background, controller)
            way(background, controller)  # asks no second time
            [sheet] = sheets(controller)
            assert isinstance(sheet, UnfinishedSheet)
            assert "hasn't finished uploading" in sheet.accessibleDescription()
            sheet.stay.click()
            await until(lambda: not sheets(controller))
            assert (ends, panel.waiting.is_on) == ([], True)
            way(background, controller)
            [sheet] = sheets(controller)
            sheet.go.click()
            await until(lambda: ends)

    run(qapp, work)


def test_the_app_in_the_tray_waits_for_a_file_before_it_restarts(
    qapp: QApplication, tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["kalends", "--data", str(tmp_path)])

    async def work() -> None:
        async with living(tmp_path, service) as (background, controller, ends):
            background._replacement._successor = Recorded("kalends")
            background._replacement._is_replaced = True
            panel = await wait_for_file(controller)
            controller.window.hide()
            background._replacement.restart_if_quiet()
            assert not ends
            assert not sheets(controller)
            panel.waiting.stop()
            background._replacement.restart_if_quiet()
            await until(lambda: ends)

    run(qapp, work)


@pytest.mark.logs_error("a confirmation could not be kept")
@pytest.mark.skipif(sys.platform == "win32", reason="file sizes cannot be limited here")
def test_unsent_changes_are_asked_about_after_unsaved_texts(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with living(tmp_path, service, runs_here=False) as (background, controller, ends):
            made, (account, *_) = controller.workspace, controller.workspace.accounts
            service.online = False
            made.plan([new_post(account, "For this afternoon", wall_clock() + 9 * HOUR)])
            await until(lambda: not made.sync.saving)
            with no_room(tmp_path):
                made.save_composer(ComposerDraft("Half a text", (account,)))
                await until(made.unsaved_texts)
                background.quit()
                [texts] = controller.window.findChildren(UnsavedSheet)
                texts.go.click()
                assert not ends
                [sheet] = sheets(controller)
                assert sheet.accessibleName() == "1 change hasn't reached the service"
                sheet.go.click()
                await until(lambda: ends)
            await until(lambda: not made.unsaved_texts())

    run(qapp, work)
