"""How large text is: by steps, remembered, and followed by everything that is laid out for it."""

from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.commands import key_caps
from app.desktop.shell.window import TEXT_SIZES, MainWindow
from app.desktop.theme import theme

LISBON = ZoneInfo("Europe/Lisbon")


@pytest.fixture(autouse=True)
def usual_size(qapp: QApplication) -> Iterator[None]:
    yield
    theme.apply(qapp, "light")


def opened(folder: Path, qtbot: QtBot) -> MainWindow:
    window = MainWindow(QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat), LISBON)
    qtbot.addWidget(window)
    return window


def test_text_grows_by_steps_and_is_as_large_in_the_next_window(tmp_path: Path, qtbot: QtBot) -> None:
    window = opened(tmp_path, qtbot)
    assert theme.current().scale == 1
    window.change_text_size(1)
    assert theme.current().scale == window.text_size / 100 > 1
    before = window.text_size
    window.close()
    assert opened(tmp_path, qtbot).text_size == before
    assert theme.current().scale == before / 100


def test_there_is_a_largest_a_smallest_and_a_usual_size(tmp_path: Path, qtbot: QtBot) -> None:
    window = opened(tmp_path, qtbot)
    for _ in range(len(TEXT_SIZES) + 2):
        window.change_text_size(1)
    assert window.text_size == TEXT_SIZES[-1]
    for _ in range(len(TEXT_SIZES) + 2):
        window.change_text_size(-1)
    assert window.text_size == TEXT_SIZES[0]
    window.change_text_size(0)
    assert (window.text_size, theme.current().scale) == (100, 1)


def test_the_theme_changes_and_the_size_stays(tmp_path: Path, qtbot: QtBot) -> None:
    window = opened(tmp_path, qtbot)
    window.change_text_size(1)
    scale = theme.current().scale
    window.set_appearance("dark")
    assert theme.current().scale == scale
    assert theme.current().tokens.dark


@pytest.mark.parametrize("kept", ["huge", "0", "-100", "1e9"])
def test_a_kept_size_that_there_is_not_is_the_usual_one(tmp_path: Path, qtbot: QtBot, kept: str) -> None:
    settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    settings.setValue("text_size", kept)
    settings.sync()
    assert opened(tmp_path, qtbot).text_size == 100


def test_a_plus_is_a_key_of_its_own() -> None:
    assert key_caps("Ctrl++") == ("Ctrl", "+")
    assert key_caps("Ctrl+Shift+Z") == ("Ctrl", "Shift", "Z")
    assert key_caps("F1") == ("F1",)
    assert key_caps("?") == ("?",)
