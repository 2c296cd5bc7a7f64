"""Closing a calendar whose changes haven't reached a service elsewhere."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.desktop.background.background import Background
from app.desktop.background.unsent import UnsentSheet
from app.desktop.shell.main_controller import MainController
from app.workspace.clock import wall_clock
from tests.desktop.background.test_background import living, service
from tests.desktop.background.test_unsaved import close, quit_
from tests.desktop.running import run
from tests.workspace.model_service import HOUR, ModelService
from tests.workspace.opened import new_post, until

__all__ = ["service"]
pytestmark = pytest.mark.qt_log_ignore("No such signal QPlatformNativeInterface::systemTrayWindowChanged")


def sheets(controller: MainController) -> list[UnsentSheet]:
    return [one for one in controller.window.findChildren(UnsentSheet) if one.isVisible()]


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
