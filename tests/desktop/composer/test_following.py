"""The composer's fields follow one draft, and never disturb somebody who is at work in one of them."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.desktop.composer import ComposerPanel
from tests.desktop.composer.composing import Compose, kept, tomorrow
from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened


def test_the_cursor_stays_where_somebody_types(compose: Compose, service: ModelService) -> None:
    x, linkedin = service.add_account("x"), service.add_account("linkedin")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        for key in (x, linkedin):
            panel.accounts.toggle(key).setChecked(True)
        QTest.keyClicks(panel.text_box.editor, "Wol")
        panel.writing.tabs.tab(x).click()
        editor = panel.text_box.editor
        editor.moveCursor(QTextCursor.MoveOperation.Left)
        QTest.keyClicks(editor, "o")
        assert (editor.toPlainText(), editor.textCursor().position()) == ("Wool", 3)
        QTest.keyClick(editor, Qt.Key.Key_Backspace)
        assert not panel.model.text.differs(x)
        assert (editor.toPlainText(), editor.textCursor().position()) == ("Wol", 2)
        editor.undo()
        assert panel.model.text.of(x) == "Wool"

    compose(story)


def test_of_a_single_account_the_text_is_shown_that_it_gets(compose: Compose, service: ModelService) -> None:
    x, linkedin = service.add_account("x"), service.add_account("linkedin")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        for key in (x, linkedin):
            panel.accounts.toggle(key).setChecked(True)
        panel.text_box.editor.setPlainText("shared")
        panel.writing.tabs.tab(x).click()
        panel.text_box.editor.setPlainText("short")
        panel.writing.tabs.tab("").click()
        panel.accounts.toggle(linkedin).setChecked(False)
        assert panel.text_box.text() == "short"
        assert not panel.writing.tabs.isVisible()
        assert panel.writing.link.isVisible()
        panel.writing.link.click()
        assert panel.text_box.text() == "shared"

    compose(story)


def test_a_day_that_is_being_typed_stays_while_something_else_changes(
    compose: Compose, service: ModelService
) -> None:
    account = service.add_account("x")

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        panel.text_box.editor.setPlainText("Wool")
        QTest.keyClicks(panel.when.date, "someday")
        panel.accounts.toggle(account).setChecked(True)
        panel.submit()
        assert panel.when.problem().startswith("“someday” isn't a day.")
        assert len(opened.posts) == 0
        QTest.keyClick(panel.when.date, Qt.Key.Key_Escape)
        panel.submit()
        assert [post.at for post in opened.posts.all()] == [tomorrow()]

    compose(story, tomorrow())


def test_the_next_slot_takes_the_place_of_a_day_that_is_typed(compose: Compose) -> None:
    async def story(opened: Opened, panel: ComposerPanel) -> None:
        QTest.keyClicks(panel.when.date, "someday")
        panel.times.taken.emit(tomorrow())
        assert panel.when.problem() == ""
        panel.close_panel()
        assert panel.model.schedule.at == tomorrow()
        assert (await kept(opened)) is not None

    compose(story)


def test_tab_goes_from_the_accounts_through_text_and_time_to_the_buttons(
    compose: Compose, service: ModelService
) -> None:
    x, linkedin = service.add_account("x"), service.add_account("linkedin")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        for key in (x, linkedin):
            panel.accounts.toggle(key).setChecked(True)
        wanted: list[QWidget] = [
            panel.accounts.toggle(x),
            panel.accounts.toggle(linkedin),
            panel.writing.tabs.tab(""),
            panel.text_box.editor,
            panel.text_box.picture,
            panel.text_box.emoji,
            panel.when.date,
            panel.when.time,
            panel.when.zone_button,
            panel.frame.keep,
            panel.frame.publish,
            panel.frame.schedule,
            panel.frame.more,
            panel.frame.close,
        ]
        chain, widget = [wanted[0]], wanted[0].nextInFocusChain()
        while widget is not None and widget is not wanted[0]:
            chain.append(widget)
            widget = widget.nextInFocusChain()
        assert [one for one in chain if one in wanted] == wanted

    compose(story)
