"""The skeleton of panes that show what the service knows; the panes' own tests show what it says."""

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.desktop.kit.service_pane import ServicePane
from app.desktop.widgets import Button, Skeleton
from app.workspace.clock import Pace
from app.workspace.messages import Problem
from app.workspace.workspace import Workspace
from tests.desktop.running import run, service_of_today, shown, workspace
from tests.workspace.opened import opened, until


class Answers(ServicePane):
    """Shows what the test answers."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace, "Answers", Skeleton())
        self.asked: list[asyncio.Future[None]] = []
        self.body = QWidget()
        self.pages.addWidget(self.body)
        self._stack_up(QWidget())

    async def fetch(self) -> None:
        answer = asyncio.get_running_loop().create_future()
        self.asked.append(answer)
        await answer
        self.pages.setCurrentWidget(self.body)

    def has_data(self) -> bool:
        return self.pages.currentWidget() is self.body


def test_it_asks_once_at_a_time_and_an_error_hides_no_data(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service_of_today()) as opened, shown(Answers(opened)) as pane:
            assert pane.pages.currentWidget() is pane.loading
            pane.refresh()
            pane.refresh()
            await until(lambda: pane.asked)
            assert not pane.refresh_button.isEnabled()
            pane.asked[0].set_exception(Problem("No network."))
            await until(pane.failed.isVisible)
            assert pane.failed.text() == "No network."
            pane.failed.acted.emit()
            await until(lambda: len(pane.asked) == 2)
            pane.asked[1].set_result(None)
            await until(pane.body.isVisible)
            QTest.mouseClick(pane.refresh_button, Qt.MouseButton.LeftButton)
            await until(lambda: len(pane.asked) == 3)
            pane.asked[2].set_exception(Problem("The key was refused.", kind="key_refused"))
            await until(pane.strip.isVisible)
            assert pane.strip.text() == "The key was refused. Showing the last data received."
            assert pane.strip.kind() == "bad"
            assert pane.body.isVisible()
            wanted: list[bool] = []
            pane.key_wanted.connect(lambda: wanted.append(True))
            assert pane.strip.button.text() == "Enter new key"
            pane.strip.button.click()
            assert wanted == [True]
            assert len(pane.asked) == 3

    run(qapp, work)


class Published(Answers):
    """Asks the service for published posts."""

    async def fetch(self) -> None:
        await self._workspace.published.refresh()


@pytest.mark.parametrize(("loss", "is_refused"), [("online", False), ("key_is_good", True)])
def test_the_status_follows_an_error_that_concerns_every_call(
    qapp: QApplication, tmp_path: Path, loss: str, is_refused: bool
) -> None:
    service, pace = service_of_today(), Pace(poll_active=600, poll_idle=600)

    async def work() -> None:
        async with opened(tmp_path, service, pace=pace) as made, shown(Published(made)) as pane:
            await until(lambda: made.sync.last_synced)
            setattr(service, loss, False)
            pane.refresh()
            await until(lambda: made.sync.is_away)
            assert made.sync.key_refused is is_refused

    run(qapp, work)


def test_nothing_is_offered_for_what_the_service_does_not_have(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service_of_today()) as opened, shown(Answers(opened)) as pane:
            pane.refresh()
            await until(lambda: pane.asked)
            pane.asked[0].set_exception(Problem("This service has no webhooks.", kind="not_found"))
            await until(pane.failed.isVisible)
            assert [one.text() for one in pane.failed.findChildren(Button) if one.isVisible()] == []

    run(qapp, work)


@pytest.mark.logs_error("a background task failed (KeyError")
def test_it_can_be_asked_again_after_a_defect(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service_of_today()) as opened, shown(Answers(opened)) as pane:
            pane.refresh()
            await until(lambda: pane.asked)
            pane.asked[0].set_exception(KeyError("post"))
            await until(pane.refresh_button.isEnabled)
            pane.refresh()
            await until(lambda: len(pane.asked) == 2)

    run(qapp, work)
