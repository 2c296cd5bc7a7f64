import gc

import pytest
from PySide6.QtCore import QPoint, QStringListModel, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QTableView, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.desktop.theme.tokens import LIGHT
from app.desktop.widgets import Button, Label, Sheet
from app.desktop.widgets.sheet import sheet_body, sheet_foot


class Window(QWidget):
    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        self.editor = QLineEdit()
        column.addWidget(self.editor)
        column.addStretch(1)
        self.resize(900, 600)


@pytest.fixture
def window(qtbot: QtBot) -> Window:
    made = Window()
    qtbot.addWidget(made)
    with qtbot.waitActive(made):
        made.show()
    made.editor.setFocus()
    return made


def present(window: Window, *, dismissible: bool = True) -> tuple[Sheet, Button, Button]:
    sheet = Sheet(window.editor, "Waiting", dismissible=dismissible)
    first, last = Button("Open again"), Button("Cancel", key_hint="Esc")
    sheet.layout_.addWidget(first)
    sheet.layout_.addWidget(last)
    sheet.present()
    return sheet, first, last


def test_a_sheet_covers_the_window_and_dims_it(window: Window) -> None:
    before = window.grab().toImage().pixelColor(4, 590)
    sheet, first, _ = present(window)
    assert sheet.geometry() == window.rect()
    assert sheet.panel.geometry().center().x() in range(448, 452)
    image = window.grab().toImage()
    assert image.pixelColor(4, 590).lightness() < before.lightness() - 50
    assert image.pixelColor(sheet.panel.geometry().topLeft() + QPoint(20, 2)).name().upper() == LIGHT.raised
    assert first.isVisible()


def test_escape_closes_it_and_gives_the_focus_back(window: Window, qtbot: QtBot) -> None:
    sheet, _, _ = present(window)
    assert sheet.hasFocus()
    gone: list[str] = []
    sheet.closed.connect(lambda: gone.append("closed"))
    sheet.destroyed.connect(lambda: gone.append("destroyed"))
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: gone == ["closed", "destroyed"], timeout=30_000)
    assert window.editor.hasFocus()


def test_tab_walks_inside_of_it_only(window: Window) -> None:
    sheet, first, last = present(window)
    seen = []
    for _ in range(4):
        focused = QApplication.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, Qt.Key.Key_Tab)
        seen.append(QApplication.focusWidget())
    assert seen == [first, last, first, last]
    QTest.keyClick(last, Qt.Key.Key_Backtab)
    assert first.hasFocus()
    QTest.keyClick(first, Qt.Key.Key_Backtab)
    assert last.hasFocus()
    assert not sheet.isHidden()


def test_the_first_focus_can_be_named(window: Window) -> None:
    sheet = Sheet(window, "Paste the address")
    editor = QLineEdit()
    sheet.layout_.addWidget(editor)
    sheet.present(editor)
    assert editor.hasFocus()


def test_a_click_beside_the_panel_closes_it_and_one_inside_does_not(window: Window, qtbot: QtBot) -> None:
    sheet, _, _ = present(window)
    QTest.mouseClick(sheet, Qt.MouseButton.LeftButton, pos=sheet.panel.geometry().topLeft() + QPoint(2, 2))
    assert not sheet.isHidden()
    with qtbot.waitSignal(sheet.closed, timeout=30_000):
        QTest.mouseClick(sheet, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))


def test_one_that_must_be_answered_stays(window: Window) -> None:
    sheet, _, _ = present(window, dismissible=False)
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    QTest.mouseClick(sheet, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert not sheet.isHidden()
    sheet.dismiss()
    assert sheet.isHidden()


def test_while_it_works_neither_esc_nor_a_click_beside_closes_it(window: Window) -> None:
    sheet, _, _ = present(window)
    for is_dismissible in (False, True):
        sheet.set_dismissible(is_dismissible)
        QTest.mouseClick(sheet, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
        assert sheet.isHidden() is is_dismissible
        QTest.keyClick(sheet, Qt.Key.Key_Escape)
        assert sheet.isHidden() is is_dismissible


def test_it_follows_the_window(window: Window, qtbot: QtBot) -> None:
    sheet, _, _ = present(window)
    window.resize(400, 500)
    qtbot.waitUntil(lambda: sheet.size() == window.size(), timeout=30_000)
    assert sheet.panel.width() == 400 - 48
    assert sheet.rect().contains(sheet.panel.geometry())


def test_shortcuts_of_the_window_rest_meanwhile(window: Window) -> None:
    pressed: list[str] = []
    shortcut = QShortcut(QKeySequence("Ctrl+K"), window)
    shortcut.activated.connect(lambda: pressed.append("palette"))
    QTest.keyClick(window.editor, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    sheet, first, _ = present(window)
    first.setFocus()
    QTest.keyClick(first, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    sheet.dismiss()
    QTest.keyClick(window.editor, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert pressed == ["palette", "palette"]


def test_tab_gets_past_fields_and_tables_that_are_made_of_parts_and_leaves_them_whole(window: Window) -> None:
    sheet = Sheet(window.editor, "A table")
    first, last = Button("Open again"), Button("Cancel")
    zone, table = QComboBox(), QTableView()
    zone.setEditable(True)
    table.setModel(QStringListModel(["row"], table))
    for part in (first, zone, table, last):
        sheet.layout_.addWidget(part)
    sheet.present(first)
    passed = []
    for _ in range(4):
        focused = QApplication.focusWidget()
        assert focused is not None
        passed.append(focused)
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    assert passed == [first, zone, table, last]
    gc.collect()
    assert isValid(table)
    assert isValid(table.horizontalHeader())


@pytest.mark.parametrize("left", [100, -300])
def test_a_sheet_is_in_the_middle_of_its_window_wherever_its_host_is(window: Window, left: int) -> None:
    """Otherwise sheets would jump sideways from one to the next."""
    window.editor.setParent(window)
    window.editor.setGeometry(left, 0, 750, 40)
    sheet = Sheet(window.editor, "Waiting", 500)
    sheet.present()
    assert sheet.panel.geometry().left() == (window.width() - 500) // 2


@pytest.mark.parametrize(("height", "scrolls"), [(600, False), (300, True)])
def test_the_body_of_a_sheet_is_as_high_as_its_content_if_the_window_has_room(
    window: Window, qtbot: QtBot, height: int, scrolls: bool
) -> None:
    window.resize(900, height)
    sheet, content, words = Sheet(window.editor, "Choose", 300), QWidget(), Label("Words. " * 150, wrap=True)
    column = QVBoxLayout(content)
    column.addWidget(words)
    body, last = sheet_body(content), Button("Save")
    sheet.layout_.addWidget(body)
    sheet.layout_.addLayout(sheet_foot(last))
    sheet.present()
    QApplication.processEvents()
    assert (body.verticalScrollBar().maximum() > 0) == scrolls
    assert words.height() >= words.heightForWidth(words.width())
    assert last.height() >= last.sizeHint().height()
    assert sheet.rect().contains(sheet.panel.geometry())
    words.setText("Few words.")
    qtbot.waitUntil(lambda: body.height() < 100)
    assert body.verticalScrollBar().maximum() == 0
