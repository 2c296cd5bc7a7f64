"""The choice for a TikTok account's posts, made where accounts are managed."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.desktop.connections.pane import ConnectionsPane
from app.desktop.connections.tiktok_sheet import TikTokSheet
from tests.desktop.pressing import choose
from tests.desktop.running import run, shown, workspace
from tests.workspace.model_service import ModelService
from tests.workspace.model_tiktok import ModelTikTok
from tests.workspace.opened import until

pytestmark = pytest.mark.usefixtures("browser")


async def opened_sheet(pane: ConnectionsPane) -> TikTokSheet:
    await until(lambda: pane.cards() and pane.cards()[0].tiktok.isVisible())
    pane.cards()[0].tiktok.click()
    sheet = pane.findChildren(TikTokSheet)[-1] if pane.findChildren(TikTokSheet) else None
    sheet = sheet or pane.window().findChildren(TikTokSheet)[-1]
    await until(lambda: sheet.save.isEnabled() and sheet.field.creator is not None)
    return sheet


def test_a_choice_is_made_changed_and_removed(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    tiktok, account = ModelTikTok(service), service.add_account("tiktok")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            sheet = await opened_sheet(pane)
            assert not sheet.forget.isVisible()
            sheet.save.click()
            assert sheet.problem.text() == "Choose who can see it on TikTok."
            assert tiktok.choices == {}
            choose(sheet.field.privacy, 1)
            assert sheet.problem.text() == ""
            sheet.field.comments.click()
            sheet.save.click()
            await until(lambda: tiktok.choices)
            told = tiktok.choices[account]
            assert (told["privacy"], told["allow_comments"]) == ("MUTUAL_FOLLOW_FRIENDS", True)
            sheet = await opened_sheet(pane)
            assert sheet.field.privacy.currentText() == "Friends"
            assert sheet.field.comments.isChecked()
            sheet.forget.click()
            await until(lambda: not tiktok.choices)

    run(qapp, work)


def test_a_failure_to_save_is_said_and_nothing_is_lost(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    tiktok = ModelTikTok(service)
    service.add_account("tiktok")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            sheet = await opened_sheet(pane)
            choose(sheet.field.privacy, 0)
            service.online = False
            sheet.save.click()
            await until(sheet.strip.isVisible)
            assert sheet.save.isEnabled()
            assert sheet.field.privacy.currentText() == "Everyone"
            service.online = True
            sheet.save.click()
            await until(lambda: tiktok.choices)

    run(qapp, work)


def test_only_tiktok_accounts_have_it_where_the_service_keeps_choices(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account("tiktok")
    service.add_account("x")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            await until(lambda: len(pane.cards()) == 2)
            assert not any(card.tiktok.isVisible() for card in pane.cards())
            ModelTikTok(service)
            await opened.refresh()
            await until(lambda: sum(card.tiktok.isVisible() for card in pane.cards()) == 1)

    run(qapp, work)


def test_posts_are_sent_to_the_inbox_or_published_directly(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    tiktok, account = ModelTikTok(service), service.add_account("tiktok")
    tiktok.inboxes = {account}

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            sheet = await opened_sheet(pane)
            assert sheet.way.currentText() == "To your TikTok inbox"
            assert not sheet.field.isVisible()
            choose(sheet.way, 1)
            assert sheet.field.isVisible()
            assert "Until TikTok audits your app" in sheet.way.accessibleDescription()
            sheet.save.click()  # without a default: the composer asks for each post
            await until(lambda: not tiktok.inboxes)
            assert tiktok.choices == {}

            sheet = await opened_sheet(pane)
            choose(sheet.way, 0)
            sheet.save.click()
            await until(lambda: tiktok.inboxes == {account})

    run(qapp, work)


def test_a_service_without_the_inbox_offers_only_the_audience(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    ModelTikTok(service)
    service.add_account("tiktok")
    service.offers = [one for one in service.offers if one != "inbox"]

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            sheet = await opened_sheet(pane)
            assert not sheet.way_field.isVisible()
            assert sheet.field.isVisible()

    run(qapp, work)


def test_an_account_that_may_only_use_the_inbox_says_so(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    tiktok, account = ModelTikTok(service), service.add_account("tiktok")
    tiktok.inboxes, tiktok.fixed = {account}, {account}

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ConnectionsPane(opened)) as pane:
            sheet = await opened_sheet(pane)
            assert sheet.way.currentText() == "To your TikTok inbox"
            assert not sheet.way.isEnabled()
            assert "haven't allowed Kalends to publish directly" in sheet.way.accessibleDescription()

    run(qapp, work)
