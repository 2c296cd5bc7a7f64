"""The window's motions: its end is in place before the first frame, and nothing waits for the last."""

import gc
import weakref
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QSettings, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.desktop import motion
from app.desktop.shell.window import MainWindow
from app.desktop.widgets import Button, Segmented, Sheet, SidePanel
from app.workspace.messages import Message
from tests.desktop.running import LISBON


class Pane(QWidget):
    """A pane with an editor."""

    def __init__(self) -> None:
        super().__init__()
        self.editor = QLineEdit("In the pane")
        column = QVBoxLayout(self)
        column.addWidget(self.editor)
        column.addStretch(1)


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    made = MainWindow(QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat), LISBON)
    qtbot.addWidget(made)
    made.furnish(lambda _name: None, "Studio", "Here")
    made.add("calendar", Pane())
    made.go("calendar")
    with qtbot.waitActive(made):
        made.show()
    return made


def panel() -> tuple[SidePanel, QLineEdit]:
    made, editor = SidePanel("Panel"), QLineEdit("In the panel")
    made.body.addWidget(editor)
    made.body.addStretch(1)
    return made, editor


def overlays(window: QWidget) -> list[motion.Overlay]:
    return [one for one in window.findChildren(motion.Overlay) if one.isVisible()]


def without(window: MainWindow) -> QImage:
    """The window after the end of every motion."""
    motion.finish_all()
    QApplication.processEvents()
    return window.grab().toImage()


def close_after(window: MainWindow, steps: list[str]) -> QImage:
    for step in steps:
        if step == "open":
            window.open_side(panel()[0])
        elif step == "close":
            window.close_side()
        elif step == "tell":
            window.messages.tell(Message("info", "One post was moved."))
        else:
            sheet = Sheet(window, "A sheet")
            sheet.layout_.addWidget(Button("Only button"))
            sheet.present()
            if step == "sheet and back":
                sheet.dismiss()
    return without(window)


@pytest.mark.parametrize(
    "steps",
    [
        ["open"],
        ["open", "close"],
        ["open", "open"],
        ["tell"],
        ["tell", "tell"],
        ["sheet"],
        ["sheet and back"],
    ],
    ids=" ".join,
)
def test_the_end_is_the_same_with_and_without_motion(window: MainWindow, steps: list[str]) -> None:
    window.setFocus()
    motion.choose("on")
    moved = close_after(window, steps)
    for step in steps:  # back to the start
        if step == "sheet":
            window.findChildren(Sheet)[-1].dismiss()
    window.close_side()
    for strip in list(window.messages._shown):
        window.messages._remove(strip)
    motion.finish_all()
    window.setFocus()
    motion.choose("off")
    assert close_after(window, steps) == moved


def test_a_panel_takes_the_focus_and_keys_while_it_slides_in(window: MainWindow) -> None:
    motion.choose("on")
    shown, editor = panel()
    window.open_side(shown)
    (overlay,) = overlays(window)
    assert overlay.geometry().size() == shown.size()
    assert overlay.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    editor.setFocus()
    assert editor.hasFocus()
    editor.selectAll()
    QTest.keyClicks(editor, "x")
    assert editor.text() == "x"
    assert not motion.is_moving()
    assert not overlays(window)


@pytest.mark.parametrize("direction", list(Qt.LayoutDirection)[:2])
def test_a_panel_slides_at_its_own_edge(window: MainWindow, direction: Qt.LayoutDirection) -> None:
    window.setLayoutDirection(direction)
    QApplication.processEvents()
    motion.choose("on")
    shown, _ = panel()
    window.open_side(shown)
    (overlay,) = overlays(window)
    assert overlay.mapTo(window, QPoint()) == shown.mapTo(window, QPoint())
    assert (shown.mapTo(window, QPoint()).x() < window.width() // 2) is window.isRightToLeft()
    motion.finish_all()
    place = shown.mapTo(window, QPoint())
    window.close_side()
    (overlay,) = overlays(window)
    assert overlay.mapTo(window, QPoint()) == place


def test_the_mouse_reaches_what_is_below_an_overlay(window: MainWindow) -> None:
    motion.choose("on")
    shown, editor = panel()
    window.open_side(shown)
    point = editor.mapTo(window, editor.rect().center())
    assert overlays(window)
    assert window.childAt(point) is editor


def test_a_sheet_that_is_dismissed_while_it_arrives_leaves_nothing(window: MainWindow, qtbot: QtBot) -> None:
    motion.choose("on")
    sheet = Sheet(window, "A sheet")
    sheet.present()
    assert sheet.hasFocus()
    assert len(overlays(window)) == 1
    sheet.dismiss()
    assert not sheet.isVisible()
    qtbot.waitUntil(lambda: not motion.is_moving())
    assert not overlays(window)


def test_the_pictures_of_a_motion_are_freed_at_its_end(window: MainWindow) -> None:
    """A sheet may be kept, and a picture of a large window takes 30 MB."""
    motion.choose("on")
    sheet = Sheet(window, "A sheet", kept=True)
    gc.disable()
    try:
        sheet.present()
        overlay = weakref.ref(overlays(window)[0])
        assert overlay() is not None
        motion.finish_all()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert overlay() is None
    finally:
        gc.enable()
    sheet.dismiss()


def test_escape_shows_the_end_of_a_sheet_immediately(window: MainWindow) -> None:
    motion.choose("on")
    sheet = Sheet(window, "A sheet")
    sheet.present()
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    assert not sheet.isVisible()
    assert not overlays(window)


def test_an_overlay_ends_when_its_window_changes_its_size_or_is_deleted(
    qtbot: QtBot, window: MainWindow
) -> None:
    motion.choose("on")
    sheet = Sheet(window, "A sheet")
    sheet.present()
    window.resize(window.width() + 40, window.height())
    assert not motion.is_moving()

    other = Pane()
    other.resize(600, 400)
    other.show()
    sheet = Sheet(other.editor, "A sheet")
    sheet.present()
    assert motion.is_moving()
    other.deleteLater()
    qtbot.waitUntil(lambda: not motion.is_moving())


def test_a_message_rises(window: MainWindow, qtbot: QtBot) -> None:
    motion.choose("on")
    window.messages.tell(Message("info", "One post was moved."))
    (overlay,) = overlays(window)
    strip = next(iter(window.messages._shown.values()))
    inside = overlay.rect().adjusted(16, 16, -16, -16)
    assert overlay.mapTo(window, inside.topLeft()) == strip.mapTo(window, QPoint())
    assert inside.size() == strip.size()
    qtbot.waitUntil(lambda: not motion.is_moving())
    assert not overlays(window)


def test_the_face_of_a_choice_glides_but_its_value_is_there(qtbot: QtBot) -> None:
    control = Segmented([("month", "Month"), ("week", "Week"), ("day", "Day")], "View")
    qtbot.addWidget(control)
    with qtbot.waitExposed(control):
        control.show()
    QApplication.processEvents()
    motion.choose("off")
    QTest.mouseClick(control._segments["day"], Qt.MouseButton.LeftButton)
    still = control.grab().toImage()
    control.set_value("month")
    start = control.grab().toImage()
    motion.choose("on")
    QTest.mouseClick(control._segments["day"], Qt.MouseButton.LeftButton)
    assert control.value() == "day"
    assert motion.is_moving()
    qtbot.waitUntil(lambda: not motion.is_moving())
    assert control.grab().toImage() == still != start

    control._segments["day"].setFocus()
    QTest.keyClick(control._segments["day"], Qt.Key.Key_Left)
    assert control.value() == "week"
    assert not motion.is_moving()


def test_the_setting_is_kept_and_applies(qtbot: QtBot, window: MainWindow) -> None:
    for mode in ("on", "off", "system"):
        window.set_motion(mode)
        assert window.motion_mode == motion.mode() == mode
    window.set_motion("off")
    motion.choose("on")
    again = MainWindow(window._settings, LISBON)
    qtbot.addWidget(again)
    assert again.motion_mode == "off"
