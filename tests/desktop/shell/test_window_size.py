"""The window with its frame fits on the screen, whatever it is given."""

from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtCore import QRect, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.shell.window import MainWindow

LISBON = ZoneInfo("Europe/Lisbon")
FRAME = 40
"""What window managers put around a window, at the top and the bottom together."""


def settings(folder: Path) -> QSettings:
    return QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)


def room() -> QRect:
    return QApplication.primaryScreen().availableGeometry()


def test_a_new_window_leaves_room_for_its_frame(tmp_path: Path, qtbot: QtBot) -> None:
    window = MainWindow(settings(tmp_path), LISBON)
    qtbot.addWidget(window)
    assert window.height() + FRAME <= room().height()
    assert window.width() <= max(room().width(), window.minimumWidth())


def test_a_window_that_was_larger_elsewhere_is_fitted(tmp_path: Path, qtbot: QtBot) -> None:
    before = MainWindow(settings(tmp_path), LISBON)
    qtbot.addWidget(before)
    before.show()
    before.setGeometry(900, 500, 1600, 1200)
    before.close()
    window = MainWindow(settings(tmp_path), LISBON)
    qtbot.addWidget(window)
    assert window.height() + FRAME <= room().height()
    window.show()
    assert room().top() <= window.frameGeometry().top()
    assert window.frameGeometry().bottom() <= room().bottom()


def test_a_size_that_was_chosen_stays(tmp_path: Path, qtbot: QtBot) -> None:
    window = MainWindow(settings(tmp_path), LISBON)
    qtbot.addWidget(window)
    window.resize(1500, 900)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    assert (window.width(), window.height()) == (1500, 900)
