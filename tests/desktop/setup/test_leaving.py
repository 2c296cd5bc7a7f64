"""Leaving a platform's page, or pressing twice, while the service is being asked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from app.desktop.setup import SetupPanel
from app.desktop.setup.make_pack import MakePackPage
from app.desktop.setup.use_pack import UsePackPage
from app.workspace.clock import wall_clock
from app.workspace.messages import Message
from tests.desktop.running import run, shown, workspace
from tests.desktop.setup.model import SetUps
from tests.desktop.setup.test_packs import PackService, X, packed
from tests.desktop.setup.test_packs import opened as pack_of
from tests.desktop.setup.test_panel import listed, told
from tests.workspace.held_service import HeldService
from tests.workspace.opened import until


@pytest.fixture
def service() -> HeldService:
    made = HeldService(wall_clock)
    made.practice, made.offers = False, ("platforms",)
    return made


@pytest.fixture
def set_ups(service: HeldService) -> SetUps:
    made = SetUps(told(), told("x", secret_needed=False))
    service.parts.append(made.answer)
    return made


@pytest.mark.usefixtures("set_ups")
def test_what_is_typed_for_another_platform_stays_when_the_first_one_is_kept(
    qapp: QApplication, tmp_path: Path, service: HeldService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SetupPanel(opened)) as panel:
            said: list[Message] = []
            panel.told.connect(said.append)
            await listed(panel)
            panel.open("tiktok")
            assert panel.page is not None
            assert panel.page.keys is not None
            with service.hold("PUT", "/tiktok/app"):
                panel.page.keys.client_id.setText("id")
                panel.page.keys.secret.setText("secret")
                panel.page.keys.save.click()
                await until(lambda: service.waiting)
                panel.page.back.click()
                panel.rows["x"].click()
                other = panel.page
                assert other is not None
                assert other.keys is not None
                other.keys.client_id.setText("typed")
            await until(lambda: said)
            assert said[0].text == "The app for TikTok was saved."
            assert panel.page is other
            assert other.keys.client_id.text() == "typed"
            other.back.click()
            assert panel.rows["tiktok"].text() == "Change"

    run(qapp, work)


@pytest.mark.usefixtures("set_ups")
def test_the_list_tells_of_what_was_kept_after_its_page_was_left(
    qapp: QApplication, tmp_path: Path, service: HeldService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SetupPanel(opened, "x")) as panel:
            await until(lambda: panel.page is not None)
            assert panel.page is not None
            assert panel.page.keys is not None
            with service.hold("PUT", "/x/app"):
                panel.page.keys.client_id.setText("id")
                panel.page.keys.save.click()
                await until(lambda: service.waiting)
                panel.page.back.click()
            await until(lambda: panel.rows["x"].text() == "Change")
            assert panel.page is None

    run(qapp, work)


def test_a_key_that_is_pressed_twice_gives_the_app_once(
    qapp: QApplication, tmp_path: Path, service: HeldService, set_ups: SetUps
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SetupPanel(opened, "x")) as panel:
            await until(lambda: panel.page is not None)
            assert panel.page is not None
            assert panel.page.keys is not None
            client_id = panel.page.keys.client_id
            client_id.setText("id")
            with service.hold("PUT", "/x/app"):
                QTest.keyClick(client_id, Qt.Key.Key_Return)
                await until(lambda: service.waiting)
                QTest.keyClick(client_id, Qt.Key.Key_Return)
            await until(lambda: panel.page is not None and panel.page.checks())
            assert len(set_ups.given) == 1

    run(qapp, work)


@pytest.mark.usefixtures("set_ups")
def test_a_test_that_fails_after_its_page_was_left_leaves_the_list(
    qapp: QApplication, tmp_path: Path, service: HeldService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SetupPanel(opened, "x")) as panel:
            said: list[Message] = []
            panel.told.connect(said.append)
            await until(lambda: panel.page is not None)
            assert panel.page is not None
            with service.hold("POST", "/self-test", done=False):
                panel.page.test.click()
                await until(lambda: service.waiting)
                panel.page.back.click()
                service.online = False
            await until(lambda: said)
            assert said[0].text.startswith("The service can't be reached.")
            assert panel.rows["x"].isVisible()
            assert not panel.failed.isVisible()

    run(qapp, work)


def test_a_pack_that_is_made_after_its_page_was_left_is_told(
    qapp: QApplication, tmp_path: Path, service: HeldService, packs: PackService
) -> None:
    async def work() -> None:
        async with with_packs(tmp_path, service) as (panel, said):
            assert panel.pack_row is not None
            panel.pack_row.make.click()
            page = panel.pack_page
            assert isinstance(page, MakePackPage)
            with service.hold("POST", "/packs"):
                panel.packs.make(page, tmp_path / "studio.kalends-pack", "Studio", "", [X], "")
                await until(lambda: service.waiting)
                page.back.click()
                await gone(page)
            await until(lambda: said)
            assert said[0].text.startswith("Saved as studio.kalends-pack. Tell members your key")
            assert len(packs.made) == 1

    run(qapp, work)


@pytest.mark.usefixtures("packs")
def test_what_is_typed_stays_when_a_pack_was_used_whose_page_was_left(
    qapp: QApplication, tmp_path: Path, service: HeldService
) -> None:
    async def work() -> None:
        async with with_packs(tmp_path, service) as (panel, said):
            page = UsePackPage(pack_of(packed("x", has_secret=False)))
            panel.packs.offer(page)
            with service.hold("POST", "/packs/use"):
                page.use.click()
                page.boxes[X].click()
                page.boxes[X].click()
                assert not page.use.isEnabled()
                await until(lambda: service.waiting)
                page.back.click()
                panel.rows["linkedin"].click()
                other = panel.page
                assert other is not None
                assert other.keys is not None
                other.keys.client_id.setText("typed")
                await gone(page)
            await until(lambda: said)
            assert said[0].text.startswith("1 platform was set up.")
            assert panel.page is other
            assert other.keys.client_id.text() == "typed"

    run(qapp, work)


def test_why_a_pack_was_refused_is_told_after_its_page_was_left(
    qapp: QApplication, tmp_path: Path, service: HeldService, packs: PackService
) -> None:
    async def work() -> None:
        async with with_packs(tmp_path, service) as (panel, said):
            page = UsePackPage(pack_of(packed("x", has_secret=False)))
            panel.packs.offer(page)
            packs.takes = False
            with service.hold("POST", "/packs/use"):
                page.use.click()
                await until(lambda: service.waiting)
                page.back.click()
                await gone(page)
            await until(lambda: said)
            assert "setup pack" in said[0].text

    run(qapp, work)


@pytest.fixture
def packs(service: HeldService) -> PackService:
    made = PackService()
    set_ups = SetUps(told("linkedin", credentials=True), told("x", credentials=True))
    service.parts += [made.answer, set_ups.answer]
    service.offers = ("platforms", "packs")
    return made


@asynccontextmanager
async def with_packs(folder: Path, service: HeldService) -> AsyncIterator[tuple[SetupPanel, list[Message]]]:
    """Yield the panel of a service that takes packs, and what it tells."""
    async with workspace(folder, service) as opened:
        await until(lambda: opened.packs.offered)
        async with shown(SetupPanel(opened)) as panel:
            said: list[Message] = []
            panel.told.connect(said.append)
            await listed(panel)
            yield panel, said


async def gone(page: QWidget) -> None:
    """Wait until a page that was left is deleted."""
    await until(lambda: not isValid(page))
