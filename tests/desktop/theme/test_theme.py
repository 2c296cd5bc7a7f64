import re

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.theme import theme
from app.desktop.theme.stylesheet import BUTTON_TEXT, palette_from_tokens, stylesheet, tokens_from_palette
from app.desktop.theme.tokens import DARK, LIGHT, ROLES, Metrics, Tokens, contrast
from app.desktop.widgets import Chip, Label


class Follower(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[bool] = []
        theme.follow(self.look)

    def look(self) -> None:
        self.seen.append(theme.current().tokens.dark)


def test_apply_puts_a_theme_into_force_and_says_so_once(qapp: QApplication, qtbot: QtBot) -> None:
    with qtbot.waitSignal(theme.notifier().changed, timeout=30_000):
        theme.apply(qapp, "dark")
    assert theme.current().tokens is DARK
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(DARK.bg)
    assert DARK.surface in qapp.styleSheet()
    with qtbot.assertNotEmitted(theme.notifier().changed):
        theme.apply(qapp, "dark")


def test_follow_calls_at_once_and_after_every_change_until_it_is_gone(qapp: QApplication) -> None:
    follower = Follower()
    theme.apply(qapp, "dark")
    theme.apply(qapp, "light")
    assert follower.seen == [False, True, False]
    seen = follower.seen
    follower.deleteLater()
    del follower
    qapp.sendPostedEvents(None, 52)  # deferred deletes
    theme.apply(qapp, "dark")
    assert seen == [False, True, False]


def test_system_mode_takes_the_systems_scheme(qapp: QApplication) -> None:
    theme.apply(qapp, "dark")
    theme.apply(qapp, "system")
    dark = qapp.styleHints().colorScheme() == Qt.ColorScheme.Dark
    assert theme.current().tokens is (DARK if dark else LIGHT)


def test_system_changes_are_followed_only_in_system_mode(qapp: QApplication) -> None:
    theme.apply(qapp, "dark")
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert theme.current().tokens is DARK


def test_text_size_scales_fonts_and_lets_controls_grow(qapp: QApplication) -> None:
    theme.apply(qapp, "light", 2.0)
    assert theme.current().font("text").pixelSize() == 26
    assert qapp.font().pixelSize() == 26
    assert theme.current().metrics.control > Metrics().control
    theme.apply(qapp, "light", 1.0)
    assert theme.current().metrics == Metrics()


def test_a_pane_that_was_never_shown_has_the_text_size_that_was_chosen_meanwhile(
    qapp: QApplication, qtbot: QtBot
) -> None:
    panes, pane = QStackedWidget(), QWidget()
    qtbot.addWidget(panes)
    panes.addWidget(QWidget())
    panes.show()
    title = Label("Connections", "title", parent=pane)
    panes.addWidget(pane)
    theme.apply(qapp, "light", 1.5)
    panes.setCurrentWidget(pane)
    assert title.isVisible()
    assert title.font().pixelSize() == 30


def test_a_widget_keeps_its_text_size_in_another_parent(qapp: QApplication, qtbot: QtBot) -> None:
    theme.apply(qapp, "light")
    window, other = QWidget(), QWidget()
    qtbot.addWidget(window)
    other.setParent(window)
    label, chip = Label("Words", "card", parent=window), Chip("Words", parent=window)
    window.show()
    sizes: list[list[int]] = []

    def move() -> None:
        sizes.append([widget.font().pixelSize() for widget in (label, chip)])
        for widget in (label, chip):
            widget.setParent(other if widget.parent() is window else window)
        sizes.append([widget.font().pixelSize() for widget in (label, chip)])

    theme.notifier().changed.connect(move)  # as panels do that have less room
    theme.apply(qapp, "light", 2.0)
    theme.notifier().changed.disconnect(move)
    move()
    theme.apply(qapp, "light")
    assert sizes[0][0] > 12
    assert all(size == sizes[0] for size in sizes)


def test_color_takes_roles_and_plain_colors() -> None:
    assert theme.current().color("accent") == QColor(LIGHT.accent)
    assert theme.current().color(LIGHT.account(1)) == QColor(LIGHT.account(1))
    assert 0 < theme.current().color("scrim").alphaF() < 1
    with pytest.raises(KeyError):
        theme.current().color("blue")


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_style_sheet_holds_no_color_of_its_own(tokens: Tokens) -> None:
    named = {tokens.role(role) for role in ROLES}
    found = set(re.findall(r"#[0-9A-Fa-f]{6,8}\b", stylesheet(tokens, Metrics())))
    assert found
    assert found <= named


def test_every_kind_of_button_shows_focus() -> None:
    sheet = stylesheet(LIGHT, Metrics())
    assert "QPushButton:focus { border: 2px solid" in sheet
    for kind in set(BUTTON_TEXT) - {"secondary"}:
        assert f'QPushButton[kind="{kind}"]' in sheet


def test_high_contrast_takes_every_color_from_the_system() -> None:
    system = QPalette()
    black, white, yellow = QColor("#000000"), QColor("#FFFFFF"), QColor("#FFFF00")
    for role in (QPalette.ColorRole.Window, QPalette.ColorRole.Base):
        system.setColor(role, black)
    system.setColor(QPalette.ColorRole.Text, white)
    system.setColor(QPalette.ColorRole.Highlight, yellow)
    system.setColor(QPalette.ColorRole.HighlightedText, black)
    tokens = tokens_from_palette(system, dark=True)
    assert (tokens.bg, tokens.text3, tokens.line, tokens.accent) == (
        "#000000",
        "#FFFFFF",
        "#FFFFFF",
        "#FFFF00",
    )
    assert contrast(tokens.on_accent, tokens.accent) > 15
    assert tokens.data3 == "#808080"
    assert palette_from_tokens(tokens).color(QPalette.ColorRole.Text) == white
