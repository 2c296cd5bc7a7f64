"""Where the shortcuts of commands work."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.desktop.commands import Command, CommandSet

_KEY = Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier


def press_at(qtbot: QtBot, focused: QWidget, *, yields: bool, edits: bool = False) -> int:
    """Return how often a command ran after its shortcut was pressed with the focus on a widget."""
    window, area = QWidget(), QWidget()
    qtbot.addWidget(window)
    area.setProperty("edits", edits)
    QVBoxLayout(window).addWidget(area)
    QVBoxLayout(area).addWidget(focused)
    runs: list[bool] = []
    CommandSet(window).add(
        Command("Undo", "", lambda: runs.append(True), keys=("Ctrl+M",), yields=yields),
    )
    with qtbot.waitActive(window):
        window.show()
    focused.setFocus()
    QTest.keyClick(focused, *_KEY)
    return len(runs)


@pytest.mark.parametrize("make", [QLineEdit, QTextEdit, QPlainTextEdit, QSpinBox])
def test_a_command_that_yields_does_not_run_while_a_text_is_edited(
    qtbot: QtBot, make: type[QLineEdit] | type[QTextEdit] | type[QPlainTextEdit] | type[QSpinBox]
) -> None:
    assert press_at(qtbot, make(), yields=True) == 0
    assert press_at(qtbot, make(), yields=False) == 1
    read_only = make()
    read_only.setReadOnly(True)
    assert press_at(qtbot, read_only, yields=True) == 1


def test_a_command_that_yields_runs_once_while_its_key_is_held_down(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    commands = CommandSet(window)
    for key, yields in (("Ctrl+M", True), ("Ctrl+L", False)):
        commands.add(Command(key, "", lambda: None, keys=(key,), yields=yields))
    repeats = {one.key().toString(): one.autoRepeat() for one in window.findChildren(QShortcut)}
    assert repeats == {"Ctrl+M": False, "Ctrl+L": True}


def test_a_command_that_yields_does_not_run_in_an_editor(qtbot: QtBot) -> None:
    assert press_at(qtbot, QPushButton(), yields=True) == 1
    assert press_at(qtbot, QPushButton(), yields=True, edits=True) == 0
