"""Words for those who cannot see the attached file: written in the composer, kept with the file."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.contract.enums import PostingPlatform, PostType
from app.contract.places import PlaceLimits
from app.desktop.composer import ComposerPanel
from app.desktop.composer.alt_text_field import AltTextField, passed_on
from app.desktop.composer.file_field import FileField
from app.desktop.widgets import IconButton
from app.platforms.rules import RULES
from tests.desktop.composer.composing import ready, stored, tomorrow
from tests.desktop.running import LISBON, run, shown, workspace
from tests.workspace.editing.samples import account, accounts, upload
from tests.workspace.media.samples import picture, video
from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened, until


@pytest.fixture
def service(service: ModelService) -> ModelService:
    """One that keeps such words."""
    service.offers = ("media",)
    return service


@asynccontextmanager
async def composing(
    folder: Path, service: ModelService, file: Path, *accounts: str
) -> AsyncIterator[tuple[Opened, ComposerPanel]]:
    """A composer with a file for accounts, once the file is uploaded."""
    async with (
        workspace(folder, service) as opened,
        shown(ComposerPanel(opened, LISBON, tomorrow())) as panel,
    ):
        panel.resize(440, 900)
        await ready(panel)
        panel.attachment.take([file])
        await until(lambda: stored(panel))
        for account in accounts:
            panel.accounts.toggle(account).setChecked(True)
        yield opened, panel


async def kept(opened: Opened, panel: ComposerPanel) -> str:
    (file,) = await opened.media.catalogue([stored(panel)])
    return file.alt_text or ""


def test_words_are_written_beside_the_file_and_kept_with_it(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    accounts = service.add_account("x"), service.add_account("tiktok")

    async def work() -> None:
        async with composing(tmp_path, service, picture(tmp_path), *accounts) as (opened, panel):
            field = panel.alt_text
            await until(field.describe.isVisible)
            assert not field.isVisible()
            field.describe.click()
            assert field.passed_on.text() == "Sent to X. TikTok doesn't support alt text for images."
            editor = field.alt_text.editor
            assert editor.accessibleDescription() == field.passed_on.text()
            editor.setFocus()
            QTest.keyClicks(editor, "A brown coat")
            QTest.keyClick(editor, Qt.Key.Key_Tab)
            assert not editor.hasFocus()
            while await kept(opened, panel) != "A brown coat":
                await until(lambda: not opened.media.alt_texts._sending)
            panel.accounts.toggle(accounts[0]).setChecked(False)
            assert field.passed_on.text() == "TikTok doesn't support alt text for images."
            panel.model.remove_file()
            await until(lambda: not field.isVisible() and not field.describe.isVisible())

    run(qapp, work)


def test_words_that_are_too_long_are_kept_and_prevent_scheduling(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("x")

    async def work() -> None:
        async with composing(tmp_path, service, picture(tmp_path), account) as (opened, panel):
            field = panel.alt_text
            await until(field.describe.isVisible)
            field.describe.click()
            field.alt_text.editor.setPlainText("a" * 1_001)
            panel.schedule()
            assert panel.problems.texts() == ("The alt text is 1 character too long.",)
            assert len(opened.posts) == 0
            panel.close_panel()
            upload = panel.model.upload
            assert upload is not None
            assert await opened.media.alt_texts.of(upload) == "a" * 1_001
            panel.file.focus_problem()
            field.close_field()
            panel.schedule()
            assert field.alt_text.editor.hasFocus()
            field.alt_text.editor.setPlainText("a" * 1_000)
            field.alt_text.keep()
            assert panel.problems.texts() == ()
            panel.schedule()
            assert len(opened.posts) == 1

    run(qapp, work)


def test_words_that_are_written_while_the_stored_ones_are_read_stay_in_the_field(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("x")

    async def work() -> None:
        async with composing(tmp_path, service, picture(tmp_path), account) as (_opened, panel):
            field = panel.alt_text
            await until(field.describe.isVisible)
            panel.describing.refresh()
            await asyncio.sleep(0)  # the stored text is being read
            field.alt_text.editor.setPlainText("A brown coat")
            field.alt_text.keep()
            await until(lambda: not panel.describing._scope.is_busy)
            assert field.alt_text.words == "A brown coat"

    run(qapp, work)


def test_another_file_has_words_of_its_own(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    account = service.add_account("x")

    async def work() -> None:
        async with composing(tmp_path, service, picture(tmp_path), account) as (opened, panel):
            await until(panel.alt_text.describe.isVisible)
            first = panel.model.upload
            panel.alt_text.alt_text.editor.setPlainText("A brown coat")
            await panel.attachment.take_one(video(tmp_path), panel.model.version)
            await until(lambda: panel.alt_text.passed_on.text() == "X doesn't support alt text for videos.")
            await until(lambda: panel.alt_text.describe.isVisible() and not panel.alt_text.alt_text.words)
            assert first is not None
            assert await opened.media.alt_texts.of(first) == "A brown coat"
            await panel.attachment.take_one(tmp_path / "coat.jpg", panel.model.version)
            await until(lambda: panel.alt_text.alt_text.words == "A brown coat")

    run(qapp, work)


def test_a_service_that_keeps_no_words_is_not_given_any(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.offers = ()
    account = service.add_account("x")

    async def work() -> None:
        async with composing(tmp_path, service, picture(tmp_path), account) as (opened, panel):
            await until(panel.file.isVisible)
            assert not opened.media.library.can_describe
            assert not panel.alt_text.describe.isVisible()

    run(qapp, work)


def test_what_a_platform_cuts_off_is_said() -> None:
    x, linkedin, tiktok, pinterest = accounts("x", "linkedin", "tiktok", "pinterest").values()
    assert RULES[PostingPlatform.PINTEREST].alt_text_max == 500
    told = passed_on([pinterest, linkedin], PostType.VIDEO, 501)
    assert told == "Sent to Pinterest and LinkedIn. Pinterest gets the first 500 characters."
    assert "first" not in passed_on([pinterest], PostType.VIDEO, 500)
    assert passed_on([x, tiktok], PostType.VIDEO, 9) == "X and TikTok don't support alt text for videos."
    assert passed_on([], PostType.IMAGE, 9) == ""


def test_the_least_that_one_of_the_servers_takes_is_said() -> None:
    large, small = account("large", "mastodon"), account("small", "mastodon")
    small = replace(small, server_limits=PlaceLimits(alt_text_max=420).model_dump_json())
    assert passed_on([large], PostType.IMAGE, 500) == "Sent to Mastodon."
    told = passed_on([large, small], PostType.IMAGE, 500)
    assert told == "Sent to Mastodon. Mastodon gets the first 420 characters."


def test_the_button_beside_the_file_leaves_it_in_its_place(qtbot: QtBot) -> None:
    file, alt_text = FileField(IconButton("image-plus", "Attach")), AltTextField()
    qtbot.addWidget(file)
    file.add_words(alt_text.describe)
    file.show_upload(upload("photo"))
    file.resize(380, 160)
    file.show()
    assert (file.tile.x(), file.cross.geometry().right()) == (0, 379)
    alt_text.offer()
    QApplication.sendPostedEvents()
    qtbot.waitUntil(alt_text.describe.isVisible)
    assert (file.tile.x(), file.cross.geometry().right()) == (0, 379)
    alt_text.deleteLater()
