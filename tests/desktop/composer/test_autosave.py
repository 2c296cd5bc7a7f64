"""What is written is kept while it is written, and what is said about that is true."""

import asyncio
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from sqlalchemy import event

from app.database import DatabaseError
from app.desktop.composer import ComposerPanel
from app.workspace.editing.draft import ComposerDraft
from tests.desktop.running import run, shown, workspace
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


def test_a_text_that_could_not_be_read_is_not_written_over(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    def refuse(_1: object, _2: object, statement: str, asked: tuple[object, ...], *_: object) -> None:
        if statement.startswith("SELECT") and "composer" in asked:
            raise DatabaseError("The disk can't be read.")

    async def work() -> None:
        async with workspace(tmp_path, service) as made:
            made.save_composer(ComposerDraft(LONG))
            await until(lambda: made.is_writing_kept)
        async with workspace(tmp_path, service) as made:
            event.listen(made._core.database.engine, "before_cursor_execute", refuse)
            async with shown(ComposerPanel(made, LISBON)) as panel:
                await until(panel.frame.said)
                event.remove(made._core.database.engine, "before_cursor_execute", refuse)
                said = panel.frame.said()
                assert said.startswith("Couldn't open your unfinished post, so you can't write here yet.")
                QTest.keyClicks(panel.text_box.editor, "la")
                panel.close_panel()
                assert panel.text_box.text() == ""
                assert panel.frame._strip is not None
                buttons = panel.frame._strip.findChildren(QPushButton)
                [again] = [button for button in buttons if button.text() == "Try again"]
                again.click()
                await ready(panel)
                assert panel.text_box.text() == LONG
                assert "unfinished" not in panel.frame.said()

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
