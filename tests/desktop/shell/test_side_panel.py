"""Where the focus goes when a side panel opens and closes."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, QSize
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.shell.window import MainWindow
from app.desktop.theme import theme
from app.desktop.widgets import Label, SidePanel
from app.workspace.messages import Message
from app.workspace.preferences import TEXT_SIZES
from tests.desktop.running import LISBON
from tests.gallery.measure.fits import cut_texts
from tests.gallery.measure.texts import texts_of


def furnished(qtbot: QtBot, tmp_path: Path) -> tuple[MainWindow, QPushButton]:
    """A window with a pane that has one button, which has the focus."""
    window = MainWindow(QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat), LISBON)
    qtbot.addWidget(window)
    button = QPushButton("In the pane")
    window.furnish(lambda _name: None, "Studio", "Here")
    window.add("calendar", button)
    window.go("calendar")
    window.show()
    window.activateWindow()
    qtbot.waitUntil(button.hasFocus)
    return window, button


def panel_with_button() -> tuple[SidePanel, QPushButton]:
    panel, button = SidePanel("Panel"), QPushButton("In the panel")
    panel.body.addWidget(button)
    return panel, button


def test_the_focus_returns_to_where_it_was(qtbot: QtBot, tmp_path: Path) -> None:
    window, before = furnished(qtbot, tmp_path)
    for _ in range(2):  # the second panel takes the place of the first
        panel, inside = panel_with_button()
        window.open_side(panel)
        inside.setFocus()
    window.close_side()
    assert before.hasFocus()


def test_the_focus_goes_to_the_pane_if_its_widget_is_gone(qtbot: QtBot, tmp_path: Path) -> None:
    window, pane = furnished(qtbot, tmp_path)
    panel, inside = panel_with_button()
    gone = QPushButton("Gone soon", window)
    gone.show()
    gone.setFocus()
    window.open_side(panel)
    inside.setFocus()
    gone.hide()
    window.close_side()
    assert pane.hasFocus()


def test_focus_outside_the_panel_stays(qtbot: QtBot, tmp_path: Path) -> None:
    window, before = furnished(qtbot, tmp_path)
    window.open_side(QWidget())
    window.close_side()
    assert before.hasFocus()


def test_a_panel_takes_the_place_of_messages_about_its_problem(qtbot: QtBot, tmp_path: Path) -> None:
    window, _ = furnished(qtbot, tmp_path)
    window.messages.tell(Message("warning", "A post was changed elsewhere.", about="conflicts"))
    panel = SidePanel("Changed elsewhere")
    panel.about = "conflicts"
    window.open_side(panel)
    assert window.messages.texts() == []
    window.open_side(SidePanel("Another panel"))
    window.messages.tell(Message("warning", "Another post was changed elsewhere.", about="conflicts"))
    assert window.messages.texts() == ["Another post was changed elsewhere."]


class _Pane(QWidget):
    """A pane that is never narrower than the calendar."""

    def minimumSizeHint(self) -> QSize:
        return QSize(296, 100)


@pytest.mark.parametrize("size", TEXT_SIZES)
@pytest.mark.parametrize("width", [1024, 1280, 1440])
def test_the_pane_beside_a_panel_never_scrolls_sideways(
    qtbot: QtBot, tmp_path: Path, qapp: QApplication, size: int, width: int
) -> None:
    window, _ = furnished(qtbot, tmp_path)
    try:
        window.add("drafts", _Pane())
        window.go("drafts")
        window.resize(width, 800)
        window.open_side(SidePanel("Panel"))
        window.change_text_size(TEXT_SIZES.index(size) - TEXT_SIZES.index(window.text_size))
        qtbot.waitUntil(lambda: window._place.viewport().width() >= 296)
        assert window._place.horizontalScrollBar().maximum() == 0
        assert window.width() == width
        window.close_side()
        assert window.rail.width() == window.rail.usual_width
    finally:
        theme.apply(qapp, "light")


def test_the_sidebar_keeps_its_words_beside_a_panel_at_the_usual_size(qtbot: QtBot, tmp_path: Path) -> None:
    window, _ = furnished(qtbot, tmp_path)
    window.resize(1024, 640)
    window.open_side(SidePanel("Panel"))
    assert window.rail.width() == window.rail.usual_width


@pytest.mark.parametrize("size", [100, 200])
def test_what_has_no_room_beside_the_title_of_a_panel_is_below_it(
    qtbot: QtBot, qapp: QApplication, size: int
) -> None:
    theme.apply(qapp, "light", size / 100)
    try:
        panel, facts = SidePanel("Before publishing"), Label("23 of 29 posts are ready to go")
        qtbot.addWidget(panel)
        panel.add_to_head(facts)
        panel.resize(panel.minimumWidth(), 600)
        panel.show()
        assert not list(cut_texts(texts_of(panel)))
        assert (facts.y() > panel.title.y() + panel.title.height()) == (size == 200)
    finally:
        theme.apply(qapp, "light")
