"""What is written is kept while it is written, and what is said about that is true."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from sqlalchemy import event

from app.database import DatabaseError
from app.desktop.composer import ComposerPanel
from app.workspace.drafts.drafts import load_drafts
from app.workspace.editing.draft import ComposerDraft
from tests.desktop.composer.composing import stored
from tests.desktop.composer.test_pasting import coat, drop, files
from tests.desktop.running import run, shown, workspace
from tests.workspace.failing_disk import accept, refuse
from tests.workspace.model_service import ModelService
from tests.workspace.opened import opened, until
from tests.workspace.test_opening_rescue import no_room

LISBON = ZoneInfo("Europe/Lisbon")
LONG = "The long wool coat is back: same pattern, heavier cloth."


async def ready(panel: ComposerPanel) -> None:
    await until(lambda: not panel.text_box.editor.isReadOnly())


def is_said_to_be_saved(panel: ComposerPanel) -> bool:
    return panel.frame._saved.text() == "Saved"


def test_somebody_who_types_without_a_pause_loses_nothing_but_the_last_moment(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as made, shown(ComposerPanel(made, LISBON)) as panel:
            await ready(panel)
            kept: list[str] = []
            stop = made.listen(
                lambda changes: kept.append(panel.text_box.text()) if changes.writing else None
            )
            async with asyncio.timeout(30):
                while not kept:
                    QTest.keyClicks(panel.text_box.editor, "la")
                    assert not is_said_to_be_saved(panel)
                    await asyncio.sleep(0.02)
            stop()
            assert kept[0]

    run(qapp, work)


def test_a_text_that_is_taken_away_letter_by_letter_can_be_had_back(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as made, shown(ComposerPanel(made, LISBON)) as panel:
            await ready(panel)
            QTest.keyClicks(panel.text_box.editor, LONG)
            await until(lambda: is_said_to_be_saved(panel))
            for _ in LONG:
                QTest.keyClick(panel.text_box.editor, Qt.Key.Key_Backspace)
                panel.autosave.keep()
            menu = await panel.earlier.menu()
            assert len(menu.actions()) == 1
            menu.actions()[0].trigger()
            assert panel.text_box.text() == LONG

    run(qapp, work)


def test_the_own_text_of_an_account_can_be_had_back_as_well(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    one, two = service.add_account(), service.add_account("linkedin")

    async def work() -> None:
        async with workspace(tmp_path, service) as made:
            made.save_composer(ComposerDraft("Short", account_keys=(one, two), texts={two: LONG}))
            await until(lambda: made.is_writing_kept)
        async with workspace(tmp_path, service) as made, shown(ComposerPanel(made, LISBON)) as panel:
            await ready(panel)
            panel.model.show_version(two)
            assert panel.text_box.text() == LONG
            for _ in LONG:
                QTest.keyClick(panel.text_box.editor, Qt.Key.Key_Backspace)
                panel.autosave.keep()
            menu = await panel.earlier.menu()
            menu.actions()[0].trigger()
            assert panel.text_box.text() == LONG

    run(qapp, work)


@pytest.mark.skipif(sys.platform == "win32", reason="file sizes cannot be limited here")
def test_with_a_full_disk_the_text_stays_and_is_said_to_be_saved_once_it_is(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as made, shown(ComposerPanel(made, LISBON)) as panel:
            await ready(panel)
            with no_room(tmp_path):
                QTest.keyClicks(panel.text_box.editor, "Precious")
                await until(lambda: made.said)
                await until(lambda: not panel.autosave._pause.isActive())
                assert panel.text_box.text() == "Precious"
                assert not is_said_to_be_saved(panel)
                assert made.said[0].text.startswith("Your disk is full or can't be written, so your text")
                assert made.said[0].text.endswith("Nothing saved earlier is lost.")
            await until(lambda: is_said_to_be_saved(panel))
            assert [message.text for message in made.said[1:]] == ["Your text is saved now."]
        async with opened(tmp_path, service) as made:
            assert (kept := await made.load_composer())
            assert kept.text == "Precious"

    run(qapp, work)


@contextlib.asynccontextmanager
async def unreadable(
    folder: Path, service: ModelService, draft: ComposerDraft
) -> AsyncIterator[ComposerPanel]:
    """A composer whose draft can't be read until "Try again" is clicked."""

    def refuse(_1: object, _2: object, statement: str, asked: tuple[object, ...], *_: object) -> None:
        if statement.startswith("SELECT") and "composer" in asked:
            raise DatabaseError("The disk can't be read.")

    async with workspace(folder, service) as made:
        made.save_composer(draft)
        await until(lambda: made.is_writing_kept)
    async with workspace(folder, service) as made:
        event.listen(made._core.database.engine, "before_cursor_execute", refuse)
        async with shown(ComposerPanel(made, LISBON)) as panel:
            await until(panel.frame.said)
            event.remove(made._core.database.engine, "before_cursor_execute", refuse)
            yield panel


async def try_again(panel: ComposerPanel) -> None:
    assert panel.frame.strips.current is not None
    buttons = panel.frame.strips.current.findChildren(QPushButton)
    [again] = [button for button in buttons if button.text() == "Try again"]
    again.click()
    await ready(panel)


def test_a_text_that_could_not_be_read_is_not_written_over(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with unreadable(tmp_path, service, ComposerDraft(LONG)) as panel:
            said = panel.frame.said()
            assert said.startswith("Couldn't open your unfinished post, so you can't write here yet.")
            QTest.keyClicks(panel.text_box.editor, "la")
            panel.close_panel()
            assert panel.text_box.text() == ""
            await try_again(panel)
            assert panel.text_box.text() == LONG
            assert "unfinished" not in panel.frame.said()

    run(qapp, work)


def test_nothing_can_be_changed_before_the_text_could_be_read(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    one, _other = service.add_account(), service.add_account("linkedin")
    saved = ComposerDraft(LONG, account_keys=(one,))

    async def work() -> None:
        async with unreadable(tmp_path, service, saved) as panel:
            for part in (panel.accounts, panel.writing, panel.file.add, panel.when, panel.frame.schedule):
                assert not part.isEnabled()
            assert panel.frame.close.isEnabled()
            assert not drop(panel, files([coat(tmp_path)]))
            for keys in (Qt.Key.Key_O, Qt.Key.Key_E, Qt.Key.Key_J):
                QTest.keyClick(panel, keys, Qt.KeyboardModifier.ControlModifier)
            assert QApplication.activePopupWidget() is None
            assert QApplication.activeModalWidget() is None
            await try_again(panel)
            assert panel.model.draft == replace(saved, zone=panel.model.draft.zone, at=panel.model.draft.at)
            assert panel.when.isEnabled()
            assert drop(panel, files([coat(tmp_path)]))
            await until(lambda: panel.file.name.text() == "coat.jpg")

    run(qapp, work)


def test_a_file_dropped_before_the_text_was_read_is_attached_to_it(
    qapp: QApplication, tmp_path: Path, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as made:
            made.save_composer(ComposerDraft(LONG))
            await until(lambda: made.is_writing_kept)
        async with workspace(tmp_path, service) as made:
            read, load = asyncio.Event(), made.load_composer

            async def load_later() -> ComposerDraft | None:
                await read.wait()
                return await load()

            monkeypatch.setattr(made, "load_composer", load_later)
            async with shown(ComposerPanel(made, LISBON)) as panel:
                assert drop(panel, files([coat(tmp_path)]))
                assert panel.text_box.text() == ""
                read.set()
                await until(lambda: stored(panel))
                assert (panel.text_box.text(), panel.file.name.text()) == (LONG, "coat.jpg")

    run(qapp, work)


def test_nothing_is_said_of_an_empty_post(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as made, shown(ComposerPanel(made, LISBON)) as panel:
            await ready(panel)
            QTest.keyClicks(panel.text_box.editor, "la")
            await until(lambda: is_said_to_be_saved(panel))
            panel.text_box.editor.clear()
            await until(lambda: not panel.autosave._pause.isActive() and made.is_writing_kept)
            assert not is_said_to_be_saved(panel)

    run(qapp, work)


def test_a_text_whose_post_cannot_be_written_stays_on_disk(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account()

    async def work() -> None:
        async with opened(tmp_path, service) as made:
            await until(lambda: made.accounts)
            made.save_composer(ComposerDraft(LONG, (account,), zone=LISBON.key))
            await until(lambda: made.is_writing_kept)
            await refuse(made, "INSERT ON posts")
            async with shown(ComposerPanel(made, LISBON)) as panel:
                await ready(panel)
                panel.submit()
                await until(lambda: made.said and made.is_writing_kept)
                assert [draft.content.text for draft in await made._core.read(load_drafts)] == [LONG]
            await accept(made, "INSERT ON posts")
            await until(lambda: not made.sync.saving)
            assert await made._core.read(load_drafts) == []

    run(qapp, work)
