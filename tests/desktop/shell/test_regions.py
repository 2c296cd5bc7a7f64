"""F6 goes through the parts of the window."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.desktop.widgets import Sheet
from app.workspace.messages import Message, MessageAction
from tests.desktop.running import run, workspace
from tests.desktop.shell.person import Person, at_home
from tests.workspace.model_service import ModelService

NAME = QAccessible.Text.Name


@pytest.fixture(autouse=True)
def listening() -> Iterator[None]:
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


def part(person: Person) -> str:
    """The part of the window with the focus, in the screen reader's words."""
    parts = {
        "Sidebar": person.window.rail,
        "Toolbar": person.controller.calendar.toolbar,
        "Calendar": person.controller.calendar.grid,
        "Messages": person.window.messages,
        "Status": person.window.status,
    }
    if person.window.side is not None:
        parts["Side panel"] = person.window.side
    return next((name for name, one in parts.items() if is_in(one, focused())), "")


def focused() -> QWidget:
    found = QApplication.focusWidget()
    assert found is not None
    return found


def is_in(part: QWidget, widget: QWidget) -> bool:
    return part is widget or part.isAncestorOf(widget)


def press(*, back: bool = False) -> None:
    held = Qt.KeyboardModifier.ShiftModifier if back else Qt.KeyboardModifier.NoModifier
    QTest.keyClick(focused(), Qt.Key.Key_F6, held)


def walk(person: Person, count: int, *, back: bool = False) -> list[str]:
    walked = []
    for _ in range(count):
        press(back=back)
        walked.append(part(person))
    return walked


def test_f6_goes_through_the_window_and_back(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account("x")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            person.window.go("calendar")
            assert part(person) == "Calendar"
            assert walk(person, 4) == ["Status", "Sidebar", "Toolbar", "Calendar"]
            assert walk(person, 4, back=True) == ["Toolbar", "Sidebar", "Status", "Calendar"]
            person.controller.panels.compose()
            composer = await person.composer()
            assert part(person) == "Side panel"
            assert walk(person, 5) == ["Status", "Sidebar", "Toolbar", "Calendar", "Side panel"]
            assert focused() is composer.text_box.editor  # where it was

    run(qapp, work)


def test_the_sidebar_is_entered_at_the_open_pane(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            person.window.go("media")
            while part(person) != "Sidebar":
                press()
            assert QAccessible.queryAccessibleInterface(focused()).text(NAME) == "Media"

    run(qapp, work)


def test_a_new_message_comes_first_and_then_has_its_turn(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            person.window.go("calendar")
            undo = MessageAction("Undo", "undo", "")
            person.window.messages.tell(Message("info", "Cancelled: Swatch day.", action=undo))
            assert walk(person, 2) == ["Messages", "Status"]
            assert walk(person, 4) == ["Sidebar", "Toolbar", "Calendar", "Messages"]

    run(qapp, work)


def test_a_sheet_is_a_dialog_and_all_that_there_is(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            window = QAccessible.queryAccessibleInterface(person.window)
            assert window.childCount() > 1
            sheet = Sheet(person.window, "Delete webhook")
            sheet.present()
            assert [window.child(number).text(NAME) for number in range(window.childCount())] == [
                "Delete webhook"
            ]
            dialog = window.child(0)
            assert dialog.role() is QAccessible.Role.Dialog
            assert dialog.state().modal
            assert window.indexOfChild(dialog) == 0
            press()
            assert is_in(sheet, focused())
            sheet.dismiss()
            assert window.childCount() > 1

    run(qapp, work)
