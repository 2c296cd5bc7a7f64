"""Saved texts and groups of hashtags in the composer; and what is saved as a draft."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.composer import ComposerPanel
from tests.desktop.composer.composing import Compose, kept, ready, tomorrow
from tests.desktop.running import LISBON, run, shown, workspace
from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened, until


def entries(panel: ComposerPanel) -> list[str]:
    menu = panel.saved.menu()
    return [action.text() for action in menu.actions() if not action.isSeparator() and action.isEnabled()]


def test_a_group_is_saved_from_what_is_selected_and_put_into_the_next_post(compose: Compose) -> None:
    async def story(opened: Opened, panel: ComposerPanel) -> None:
        editor = panel.text_box.editor
        assert entries(panel) == []
        editor.setPlainText("The coat is back. #wool #slow")
        assert entries(panel) == ["Save this text…"]
        cursor = editor.textCursor()
        cursor.setPosition(18)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        editor.setTextCursor(cursor)
        assert entries(panel) == ["Save selected text…"]
        popover = panel.saved.ask_name()
        assert not popover.save.isEnabled()
        QTest.keyClicks(popover.name, "Wool & co")
        QTest.keyClick(popover.name, Qt.Key.Key_Return)
        await until(lambda: opened.snippets.all() == {"Wool & co": "#wool #slow"})
        editor.setPlainText("Linen.")
        editor.moveCursor(QTextCursor.MoveOperation.End)
        menu = panel.saved.menu()
        assert menu.actions()[0].text() == "Wool && co"
        menu.actions()[0].trigger()
        assert panel.model.text.shared == "Linen. #wool #slow"

    compose(story)


def test_a_name_that_is_taken_is_said_and_what_was_deleted_can_be_put_back(compose: Compose) -> None:
    async def story(opened: Opened, panel: ComposerPanel) -> None:
        await opened.snippets.keep("Wool", "#wool")
        panel.text_box.editor.setPlainText("other words")
        popover = panel.saved.ask_name()
        QTest.keyClicks(popover.name, "Wool")
        assert popover.name.accessibleDescription() == "Replaces the saved text with this name."
        popover.save.click()
        await until(lambda: opened.snippets.all() == {"Wool": "other words"})
        sheet = panel.saved.show_list()
        _, delete = sheet.rows["Wool"]
        delete.click()
        await until(lambda: opened.snippets.all() == {})
        delete.click()
        await until(lambda: opened.snippets.all() == {"Wool": "other words"})
        sheet.done.click()

    compose(story)


def test_what_is_written_is_saved_as_a_draft(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("x")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            async with shown(ComposerPanel(opened, LISBON, tomorrow())) as panel:
                await ready(panel)
                panel.accounts.toggle(account).setChecked(True)
                QTest.keyClicks(panel.text_box.editor, "For later")
                QTest.keyClick(panel.text_box.editor, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
            (draft,) = opened.drafts.all()
            assert (draft.content.text, draft.content.account_keys) == ("For later", (account,))
            assert (left := await kept(opened)) is None or left.is_empty
            async with shown(ComposerPanel(opened, LISBON)) as panel:
                await ready(panel)
                panel.frame.keep.click()
            assert len(opened.drafts.all()) == 1

    run(qapp, work)
