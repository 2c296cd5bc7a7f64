"""An idea for several accounts in the window: composed once, one card, and each post in the side panel."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.inspector import Inspector
from app.desktop.theme import theme
from tests.desktop.running import run, service_of_today, workspace
from tests.desktop.shell.person import at_home
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until


@pytest.fixture
def service(qapp: QApplication) -> ModelService:
    theme.apply(qapp, "light")
    return service_of_today()


def test_a_post_composed_for_two_accounts_is_one_card_and_opens_as_two(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    accounts = [service.add_account(), service.add_account()]

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            calendar, window = person.controller.calendar, person.window
            calendar.request_new()
            panel = await person.composer()
            for key in accounts:
                panel.accounts.toggle(key).setChecked(True)
            panel.text_box.editor.setPlainText("Studio sale")
            QTest.keyClick(panel.text_box.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
            await until(lambda: opened.sync.waiting == 0 and len(opened.posts) == 2)
            assert calendar.model.rowCount() == 1
            window.group_ideas(False)
            assert calendar.model.rowCount() == 2
            window.group_ideas(True)
            assert calendar.model.rowCount() == 1

            first = calendar.model.post_at(0).key
            calendar.postOpened.emit(first)
            inspector = window.side
            assert isinstance(inspector, Inspector)
            await until(lambda: bool(inspector.together.buttons))
            QTest.mouseClick(inspector.together.buttons[0], Qt.MouseButton.LeftButton)
            other = window.side
            assert isinstance(other, Inspector)
            assert {first, other.key} == {one.key for one in opened.posts.all()}
            focused = QApplication.focusWidget()
            assert focused is not None
            assert other.isAncestorOf(focused)

    run(qapp, work)
