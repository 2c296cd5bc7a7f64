"""How large text is: by steps, remembered, and followed by everything that is laid out for it."""

from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QEvent, QObject, QSettings
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.commands import key_caps
from app.desktop.shell.window import MainWindow
from app.desktop.theme import theme
from app.desktop.widgets import (
    Avatar,
    AvatarToggle,
    ComboBox,
    DateField,
    Face,
    IconButton,
    IconLabel,
    LineEdit,
    TimeField,
)
from app.workspace.preferences import TEXT_SIZES

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


class Polished(QObject):
    """Counts the widgets that Qt takes through the whole style sheet again."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() is QEvent.Type.StyleChange
        return super().eventFilter(watched, event)


def test_another_size_has_no_widget_polished_again(qapp: QApplication, tmp_path: Path, qtbot: QtBot) -> None:
    window = opened(tmp_path, qtbot)
    window.show()
    seen = Polished()
    qapp.installEventFilter(seen)
    try:
        for _ in TEXT_SIZES:
            window.change_text_size(1)
    finally:
        qapp.removeEventFilter(seen)
    assert window.text_size == TEXT_SIZES[-1]
    assert seen.count == 0


def test_fields_icons_and_avatars_grow_with_the_text(qapp: QApplication, qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    column = QVBoxLayout(holder)
    fields = LineEdit(icon="search"), LineEdit(pill=True), ComboBox(), DateField(), TimeField()
    face = Face("Studio", "x", 1)
    pictures = IconLabel("image"), Avatar(face), AvatarToggle(face), IconButton("x", "Close")
    for widget in (*fields, *pictures):
        column.addWidget(widget)
    theme.apply(qapp, "light", 1.0)
    holder.show()
    holder.adjustSize()
    assert [one.height() for one in fields] == [32, 26, 32, 32, 32]
    before = [one.height() for one in pictures]
    theme.apply(qapp, "light", 2.0)
    holder.adjustSize()
    metrics = theme.current().metrics
    assert [one.height() for one in fields] == [metrics.control, metrics.chip, *[metrics.control] * 3]
    assert metrics.icon == 32
    label, avatar, toggle, button = (now.height() / then for now, then in zip(pictures, before, strict=True))
    assert label == 2
    assert avatar > 1.9
    assert toggle > 1.7
    assert button > 1.3
    wanted = theme.current().font("text").pixelSize()
    assert [one.font().pixelSize() for one in fields] == [wanted] * len(fields)
    fields[0].setFocus()
    assert fields[0].height() == metrics.control
