import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.theme.tokens import LIGHT
from app.desktop.widgets import Button, Card, EmptyState, Label, Menu, MessageStrip, Panel, Skeleton


def test_an_empty_state_offers_one_action(qtbot: QtBot) -> None:
    empty = EmptyState("calendar-days", "Nothing is planned in this month.", "New post", kind="primary")
    qtbot.addWidget(empty)
    buttons = empty.findChildren(QPushButton)
    assert [button.text() for button in buttons] == ["New post"]
    with qtbot.waitSignal(empty.acted, timeout=30_000):
        buttons[0].click()
    empty.set_text("Nothing matches the filter.")
    assert "Nothing matches the filter." in [label.text() for label in empty.findChildren(Label)]


def test_an_empty_state_without_an_action_has_no_button(qtbot: QtBot) -> None:
    empty = EmptyState("search", "Nothing found.")
    qtbot.addWidget(empty)
    assert empty.findChildren(QPushButton) == []


def test_a_skeleton_shows_only_after_its_delay_and_starts_anew(qtbot: QtBot) -> None:
    skeleton = Skeleton(2)
    qtbot.addWidget(skeleton)
    skeleton.resize(skeleton.sizeHint())
    skeleton.show()
    assert not skeleton.is_ripe()
    before = skeleton.grab().toImage()
    qtbot.waitUntil(skeleton.is_ripe, timeout=30_000)
    assert skeleton.grab().toImage() != before
    assert skeleton.grab().toImage().pixelColor(20, 12).name().upper() == LIGHT.line2
    skeleton.hide()
    assert not skeleton.is_ripe()


@pytest.mark.parametrize(
    ("kind", "fill"), [("info", "accent_soft"), ("warning", "warn_soft"), ("error", "bad_soft")]
)
def test_a_strip_has_the_color_of_its_kind(qtbot: QtBot, kind: str, fill: str) -> None:
    strip = MessageStrip(kind, "It happened.")  # type: ignore[arg-type]
    qtbot.addWidget(strip)
    strip.resize(400, 44)
    assert strip.grab().toImage().pixelColor(4, 22).name().upper() == LIGHT.role(fill)
    assert strip.accessibleName() == "It happened."


def test_a_strip_acts_closes_and_shows_details(qtbot: QtBot) -> None:
    strip = MessageStrip("error", "LinkedIn refused this post.", "Duplicate content", "Open")
    qtbot.addWidget(strip)
    strip.show()
    details, action, close = strip.findChildren(QPushButton)
    hidden = next(label for label in strip.findChildren(Label) if label.text() == "Duplicate content")
    assert hidden.isHidden()
    details.click()
    assert not hidden.isHidden()
    assert hidden.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
    with qtbot.waitSignal(strip.acted, timeout=30_000):
        action.click()
    with qtbot.waitSignal(strip.dismissed, timeout=30_000):
        close.click()


def test_a_repeated_message_is_folded(qtbot: QtBot) -> None:
    strip = MessageStrip("warning", "Offline.", closable=False)
    qtbot.addWidget(strip)
    assert strip.count() == 1
    strip.fold()
    strip.fold()
    assert strip.count() == 3
    assert "\u00d73" in [label.text() for label in strip.findChildren(Label)]
    assert strip.findChildren(QPushButton) == []


def test_a_panel_is_rounded_on_the_surface(qtbot: QtBot) -> None:
    panel = Panel()
    qtbot.addWidget(panel)
    panel.resize(100, 80)
    image = panel.grab().toImage()
    assert image.pixelColor(50, 40).name().upper() == LIGHT.surface
    assert image.pixelColor(50, 0).name().upper() == LIGHT.line
    assert image.pixelColor(0, 0).name().upper() not in {LIGHT.surface, LIGHT.line}
    panel.set_edge("bad")
    assert panel.grab().toImage().pixelColor(50, 0).name().upper() == LIGHT.bad_line


def test_a_card_tints_its_footer(qtbot: QtBot) -> None:
    card = Card("bad")
    qtbot.addWidget(card)
    card.body.addWidget(Label("Maya Makes"))
    card.resize(200, 160)
    card.show()
    plain = card.grab().toImage().pixelColor(100, 150)
    assert plain.name().upper() == LIGHT.surface
    card.footer.addWidget(Label("Access expired"))
    card.tint_footer("bad_soft")
    image = card.grab().toImage()
    assert image.pixelColor(190, 150).name().upper() == LIGHT.bad_soft
    assert image.pixelColor(190, 40).name().upper() == LIGHT.surface


def test_a_menu_runs_what_is_chosen(qtbot: QtBot) -> None:
    chosen: list[str] = []
    menu = Menu()
    qtbot.addWidget(menu)
    rename = menu.add("Rename", lambda: chosen.append("rename"), icon="pencil", shortcut="F2")
    menu.addSeparator()
    remove = menu.add("Delete", lambda: chosen.append("delete"), icon="trash-2", enabled=False)
    rename.trigger()
    remove.trigger()
    assert chosen == ["rename"]
    assert rename.shortcut().toString() == "F2"
    assert not rename.icon().isNull()


def test_tab_gets_past_an_empty_state_whose_button_was_taken_away(qtbot: QtBot) -> None:
    window, empty = QWidget(), EmptyState("info", "Nothing here.", "Try again")
    first, last = QPushButton("First"), QPushButton("Last")
    column = QVBoxLayout(window)
    for part in (first, empty, last):
        column.addWidget(part)
    empty.set_action("", "info")
    qtbot.addWidget(window)
    with qtbot.waitActive(window, timeout=30_000):
        window.show()
        window.activateWindow()
    first.setFocus()
    QTest.keyClick(first, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is last


def test_a_narrow_message_gives_its_buttons_the_whole_width(qtbot: QtBot) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    strip = MessageStrip("warning", "2 posts were changed.", "More about them", "Compare", parent=host)
    host.show()
    buttons = strip.findChildren(Button)
    strip.resize(sum(button.sizeHint().width() + 6 for button in buttons) + 20, 200)
    QApplication.processEvents()
    assert all(button.width() >= button.sizeHint().width() for button in buttons)
    assert all(strip.rect().contains(button.mapTo(strip, button.rect().bottomRight())) for button in buttons)
