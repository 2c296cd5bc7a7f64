from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QToolTip, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.theme import theme
from app.desktop.theme.tokens import DARK, LIGHT
from app.desktop.widgets import (
    AvatarToggle,
    Button,
    Chip,
    Face,
    IconButton,
    KeyHint,
    LinkButton,
    Menu,
    Segmented,
    danger,
    primary,
    quiet,
    secondary,
)

VIEWS = [("month", "Month"), ("week", "Week"), ("day", "Day")]


def colors_of(widget: QWidget) -> set[str]:
    image = widget.grab().toImage()
    return {
        image.pixelColor(x, y).name().upper() for x in range(image.width()) for y in range(image.height())
    }


@pytest.mark.parametrize("make", [primary, secondary, quiet, danger])
def test_controls_are_32_or_28_high(qtbot: QtBot, make: type[Button]) -> None:
    for size, height in (("normal", 32), ("small", 28)):
        button = make("Renew", size=size)  # type: ignore[arg-type]
        qtbot.addWidget(button)
        assert button.sizeHint().height() == height


def test_an_icon_and_a_key_hint_take_room(qtbot: QtBot) -> None:
    plain, full = Button("Cancel"), Button("Cancel", icon="x", key_hint="Esc")
    for button in (plain, full):
        qtbot.addWidget(button)
    assert full.sizeHint().width() > plain.sizeHint().width() + 16
    full.set_icon("")
    assert full.icon_name() == ""


def test_the_primary_button_is_filled_in_the_accent_of_either_theme(qapp: QApplication, qtbot: QtBot) -> None:
    button = primary("Start")
    qtbot.addWidget(button)
    assert LIGHT.accent in colors_of(button)
    theme.apply(qapp, "dark")
    assert DARK.accent in colors_of(button)
    assert LIGHT.accent not in colors_of(button)


def test_a_kind_can_change_and_a_disabled_button_is_quiet(qtbot: QtBot) -> None:
    button = secondary("Start")
    qtbot.addWidget(button)
    button.set_kind("primary")
    assert button.kind() == "primary"
    assert LIGHT.accent in colors_of(button)
    button.setEnabled(False)
    assert LIGHT.accent not in colors_of(button)


def test_keyboard_focus_shows_a_ring_and_space_presses(qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    column = QVBoxLayout(holder)
    first, second = secondary("One"), secondary("Two")
    column.addWidget(first)
    column.addWidget(second)
    with qtbot.waitActive(holder):
        holder.show()
    first.setFocus()
    assert QColor(LIGHT.accent).name().upper() in colors_of(first)
    assert LIGHT.accent not in colors_of(second)
    QTest.keyClick(first, Qt.Key.Key_Tab)
    assert second.hasFocus()
    with qtbot.waitSignal(second.clicked, timeout=30_000):
        QTest.keyClick(second, Qt.Key.Key_Space)


@pytest.mark.parametrize(
    "make",
    [
        lambda: secondary("One"),
        lambda: IconButton("x", "Close"),
        lambda: LinkButton("More"),
        lambda: Chip("All"),
        lambda: AvatarToggle(Face("Ines", "x", 0)),
    ],
)
def test_enter_presses_a_button_that_has_the_focus(qtbot: QtBot, make: Callable[[], QAbstractButton]) -> None:
    button = make()
    qtbot.addWidget(button)
    button.show()
    pressed: list[bool] = []
    button.clicked.connect(lambda: pressed.append(True))
    QTest.keyClick(button, Qt.Key.Key_Return)
    QTest.keyClick(button, Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)
    assert len(pressed) == 2
    plain, control = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
    for modifiers, is_held in ((plain, True), (control, False)):
        event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, modifiers, "", is_held)
        QApplication.sendEvent(button, event)
    button.setEnabled(False)
    QApplication.sendEvent(button, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, plain))
    assert len(pressed) == 2


def test_a_click_leaves_the_focus_where_it_was(qtbot: QtBot) -> None:
    button = secondary("One")
    qtbot.addWidget(button)
    assert not button.focusPolicy() & Qt.FocusPolicy.ClickFocus.value & ~Qt.FocusPolicy.TabFocus.value


def test_an_icon_button_is_square_and_named(qtbot: QtBot) -> None:
    button = IconButton("x", "Close", size="small")
    qtbot.addWidget(button)
    assert button.sizeHint().width() == button.sizeHint().height() == 28
    assert button.accessibleName() == "Close"
    assert button.toolTip() == ""  # screen readers would say it twice
    button.set_name("Close the composer")
    assert button.accessibleName() == "Close the composer"


def test_a_key_hint_is_as_wide_as_its_keys(qtbot: QtBot) -> None:
    short, long = KeyHint("Esc"), KeyHint("Ctrl Shift K")
    for hint in (short, long):
        qtbot.addWidget(hint)
    assert long.sizeHint().width() > short.sizeHint().width()


def test_segments_exclude_each_other_and_tell_once(qtbot: QtBot) -> None:
    views = Segmented(VIEWS, "View")
    qtbot.addWidget(views)
    told: list[str] = []
    views.selected.connect(told.append)
    assert views.value() == "month"
    views.set_value("week")
    views.set_value("week")
    assert views.value() == "week"
    assert told == ["week"]
    with pytest.raises(KeyError):
        views.set_value("year")


def test_arrow_keys_walk_the_segments(qtbot: QtBot) -> None:
    views = Segmented(VIEWS, "View")
    qtbot.addWidget(views)
    with qtbot.waitActive(views):
        views.show()
    segments = views.findChildren(QWidget)
    segments[0].setFocus()
    QTest.keyClick(segments[0], Qt.Key.Key_Right)
    assert views.value() == "week"
    QTest.keyClick(segments[1], Qt.Key.Key_Left)
    assert views.value() == "month"


def test_an_icon_segment_is_named(qtbot: QtBot) -> None:
    views = Segmented([("grid", "icon:calendar-days:Calendar"), ("list", "icon:list:List")], "Layout")
    qtbot.addWidget(views)
    views.resize(views.sizeHint())
    assert views.sizeHint().height() == 32
    assert [segment.accessibleName() for segment in views.findChildren(QWidget)] == ["Calendar", "List"]
    assert len(colors_of(views)) > 2


def test_a_chip_switches_by_keyboard_and_turns_soft(qtbot: QtBot) -> None:
    chip = Chip("All accounts", "funnel")
    qtbot.addWidget(chip)
    chip.show()
    assert chip.sizeHint().height() == 26
    assert LIGHT.accent_soft not in colors_of(chip)
    with qtbot.waitSignal(chip.toggled, timeout=30_000):
        QTest.keyClick(chip, Qt.Key.Key_Space)
    assert LIGHT.accent_soft in colors_of(chip)


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_the_icon_of_a_chip_without_a_label_is_in_its_middle(
    qtbot: QtBot, qapp: QApplication, scale: float
) -> None:
    theme.apply(qapp, "light", scale)
    chip = Chip("", "circle-alert")
    chip.setAccessibleName("Filter")
    qtbot.addWidget(chip)
    chip.resize(chip.sizeHint())
    picture = chip.grab().toImage()
    middle, ground = picture.height() // 2, picture.pixelColor(picture.width() // 2, 4)
    lines, columns = range(middle - 5, middle + 6), range(5, picture.width() - 5)
    inked = [x for x in columns if any(picture.pixelColor(x, y) != ground for y in lines)]
    assert abs((inked[0] + inked[-1]) - (picture.width() - 1)) <= 2


@pytest.mark.parametrize("tone", ["warn", "bad"])
def test_a_notice_chip_has_its_tone(qtbot: QtBot, tone: str) -> None:
    chip = Chip("2 posts will fail", "triangle-alert", checkable=False, tone=tone)  # type: ignore[arg-type]
    qtbot.addWidget(chip)
    assert LIGHT.role(f"{tone}_soft") in colors_of(chip)
    chip.set_icon("")
    chip.setEnabled(False)
    assert LIGHT.role(f"{tone}_soft") not in colors_of(chip)


def test_a_key_is_in_the_tooltip_and_not_in_the_name(qtbot: QtBot) -> None:
    button = IconButton("smile", "Emoji", key="Ctrl+E")
    qtbot.addWidget(button)
    button.show()
    assert (button.accessibleName(), button.accessibleDescription()) == ("Emoji", "Ctrl E")
    middle = button.rect().center()
    QApplication.sendEvent(button, QHelpEvent(QEvent.Type.ToolTip, middle, button.mapToGlobal(middle)))
    assert QToolTip.text() == "Emoji (Ctrl+E)"


@pytest.mark.parametrize(("left", "aligned"), [(20, "start"), (560, "end")])
def test_a_menu_opens_below_its_button_within_the_window(qtbot: QtBot, left: int, aligned: str) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.setGeometry(100, 100, 600, 400)
    button = IconButton("ellipsis", "More", parent=window)
    button.setGeometry(left, 10, 32, 32)
    window.show()
    menu = Menu(button)
    menu.add("Save a copy to Drafts", print)
    menu.open_below(button)
    place, below = menu.geometry(), button.mapToGlobal(QPoint())
    assert place.top() >= below.y() + button.height()
    if aligned == "start":
        assert place.left() == below.x()
    else:
        assert place.right() + 1 == below.x() + button.width()
    menu.close()


def test_a_menu_opens_above_a_button_at_the_bottom_of_the_window(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.setGeometry(100, 100, 600, 400)
    button = IconButton("ellipsis", "More", parent=window)
    button.setGeometry(20, 360, 32, 32)
    window.show()
    menu = Menu(button)
    menu.add("Save a copy to Drafts", print)
    menu.open_below(button)
    assert menu.geometry().bottom() < button.mapToGlobal(QPoint()).y()
    menu.close()
