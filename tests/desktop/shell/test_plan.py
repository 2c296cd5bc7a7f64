"""From the calendar to what will fail, to the posting times, and from both into the composer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QWidget

from app.desktop.composer import ComposerPanel
from app.desktop.inspector import Inspector
from app.desktop.shell.main_controller import MainController
from app.desktop.shell.window import MainWindow
from app.desktop.slots import SlotPanel
from app.desktop.slots.panel import AccountSlots
from app.desktop.warnings.panel import WarningPanel
from app.desktop.widgets import Button
from app.workspace.editing.draft import ComposerDraft
from app.workspace.messages import MessageAction
from app.workspace.slots.slots import Slot
from tests.desktop.browsing import Browser
from tests.desktop.running import furnish, run, service_of_today, shown, workspace
from tests.workspace.model_service import BASE_URL, HOUR, ModelService
from tests.workspace.opened import until

LISBON = ZoneInfo("Europe/Lisbon")


@asynccontextmanager
async def furnished(folder: Path, service: ModelService) -> AsyncIterator[MainController]:
    window = MainWindow(QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat), LISBON)
    async with workspace(folder, service) as opened, shown(window, (1280, 800)):
        controller = furnish(window, opened)
        try:
            yield controller
        finally:
            controller.close()


async def composer_of(controller: MainController) -> ComposerPanel:
    """The composer, once it may be written in."""
    await until(lambda: isinstance(controller.window.side, ComposerPanel))
    composer = controller.window.side
    assert isinstance(composer, ComposerPanel)
    await until(lambda: not composer.text_box.editor.isReadOnly())
    return composer


def test_a_post_that_will_fail_is_replaced_by_one_that_does_not(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    account = service.add_account()
    key = service.add_post(account, service.clock() // 60_000 * 60_000 + 48 * HOUR, "word " * 80)

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            await until(lambda: controller.workspace.warnings.by_key)
            assert controller.calendar.filters.warnings.text() == "1 post will fail"
            controller.calendar.filters.warnings.click()
            panel = controller.window.side
            assert isinstance(panel, WarningPanel)
            panel.rewritten.emit(key)
            composer = await composer_of(controller)
            assert composer.model.accounts.chosen == (account,)
            assert composer.when.at() == controller.workspace.posts.all()[0].at
            assert service.posts[UUID(key)]["status"] == "scheduled"
            composer.text_box.editor.setPlainText("Short enough.")
            composer.submit()
            await until(lambda: not controller.workspace.sync.waiting)
            assert service.posts[UUID(key)]["status"] == "cancelled"
            assert "Short enough." in service.effects
            await until(lambda: not controller.workspace.warnings.by_key)

    run(qapp, work)


def test_the_list_leads_to_the_post(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    key = service.add_post(service.add_account(), service.clock() + 48 * HOUR, "word " * 80)

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            controller.calendar.warningsRequested.emit()
            panel = controller.window.side
            assert isinstance(panel, WarningPanel)
            panel.opened.emit(key)
            inspector = controller.window.side
            assert isinstance(inspector, Inspector)
            assert inspector.key == key

    run(qapp, work)


def test_the_list_leads_to_files_drafts_and_the_service(
    qapp: QApplication, tmp_path: Path, browser: Browser
) -> None:
    service = service_of_today()
    service.add_account()

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            controller.panels.show_warnings()
            panel = controller.window.side
            assert isinstance(panel, WarningPanel)
            for name, pane in (("drafts", controller.drafts), ("media", controller.media)):
                panel.went.emit(name)
                assert pane.isVisible()
            panel.service_visited.emit()
            await until(lambda: browser.opened)
            assert browser.opened == [f"{BASE_URL}/integrations"]

    run(qapp, work)


@pytest.mark.parametrize("kept", ["", "Half written"])
def test_a_slot_begins_a_post_for_its_account_and_loses_no_text(
    qapp: QApplication, tmp_path: Path, kept: str
) -> None:
    service = service_of_today()
    accounts = [service.add_account() for _ in range(2)]
    at = service.clock() // 60_000 * 60_000 + 48 * HOUR

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            controller.workspace.save_composer(ComposerDraft(kept, (accounts[0],)))
            controller.calendar.slotChosen.emit(at, (accounts[1],))
            composer = await composer_of(controller)
            assert composer.when.at() == at
            assert composer.text_box.text() == kept
            assert composer.model.accounts.chosen == ((accounts[0],) if kept else (accounts[1],))

    run(qapp, work)


def test_the_composer_leads_to_the_next_free_slot(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    account = service.add_account()

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            controller.workspace.save_composer(ComposerDraft("", (account,)))
            controller.panels.compose()
            composer = await composer_of(controller)
            assert not composer.times.isVisible()
            await controller.workspace.slots.set(
                account, [Slot(account, day, 23 * 60 + 7) for day in range(7)]
            )
            assert composer.times.isVisible()
            composer.times.next_free.click()
            assert composer.when.time.time().toString("HH:mm") == "23:07"
            assert not composer.times.isVisible()

    run(qapp, work)


def test_a_message_leads_to_the_posting_times(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    service.add_account()

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            controller.act(MessageAction("Posting times", "show_slots"))
            panel = controller.window.side
            assert isinstance(panel, SlotPanel)
            panel.closed.emit()
            assert controller.window.side is not panel

    run(qapp, work)


def test_only_what_shows_of_many_accounts_is_made(qapp: QApplication, tmp_path: Path) -> None:
    """Two thousand accounts have as many widgets as two hundred: opening does not stall."""

    async def widgets_of(number: int) -> int:
        service = service_of_today()
        for _ in range(number):
            service.add_account("x")
        folder = tmp_path / str(number)
        folder.mkdir()
        async with furnished(folder, service) as controller:
            controller.panels.show_slots()
            assert isinstance(controller.window.side, SlotPanel)
            for name in ("connections", "analytics", "calendar"):
                controller.window.go(name)
            return len(controller.window.findChildren(QWidget))

    async def work() -> None:
        some, many = await widgets_of(200), await widgets_of(2_000)
        assert many == some

    run(qapp, work)


def test_the_other_accounts_of_many_come_when_they_are_wanted(qapp: QApplication, tmp_path: Path) -> None:
    service = service_of_today()
    for _ in range(100):
        service.add_account("x")

    async def work() -> None:
        async with furnished(tmp_path, service) as controller:
            pane = controller.connections
            controller.window.go("connections")
            assert len(pane.cards()) == 60
            more = next(one for one in pane.findChildren(Button) if one.text() == "Show 40 more accounts")
            more.click()
            assert len(pane.cards()) == 100
            controller.panels.show_slots()
            panel = controller.window.side
            assert isinstance(panel, SlotPanel)
            for shown, more_words in ((40, "Show 60 more accounts"), (80, "Show 20 more accounts")):
                assert len(panel.findChildren(AccountSlots)) == shown
                (more,) = [one for one in panel.findChildren(Button) if one.text() == more_words]
                more.click()
            assert len(panel.findChildren(AccountSlots)) == 100
            assert not more.isVisible()

    run(qapp, work)
