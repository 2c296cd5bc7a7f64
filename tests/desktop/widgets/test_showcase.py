from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.theme import theme
from app.desktop.theme.tokens import DARK, LIGHT
from app.desktop.widgets import Skeleton
from tests.desktop.widgets.showcase import Showcase


def show(qtbot: QtBot) -> Showcase:
    showcase = Showcase()
    qtbot.addWidget(showcase)
    showcase.show()
    for skeleton in showcase.findChildren(Skeleton):
        qtbot.waitUntil(skeleton.is_ripe, timeout=30_000)
    return showcase


def picture(showcase: Showcase) -> QImage:
    focused = QApplication.focusWidget()
    if focused is not None:
        focused.clearFocus()  # its caret blinks
    return showcase.grab().toImage()


def test_everything_renders_in_both_themes_and_follows_a_change(qapp: QApplication, qtbot: QtBot) -> None:
    showcase = show(qtbot)
    light = picture(showcase)
    theme.apply(qapp, "dark")
    dark = picture(showcase)
    theme.apply(qapp, "light")
    assert light.pixelColor(2, 2).name().upper() == LIGHT.bg
    assert dark.pixelColor(2, 2).name().upper() == DARK.bg
    assert picture(showcase) == light


def test_a_change_looks_like_a_fresh_start(qapp: QApplication, qtbot: QtBot) -> None:
    changed = show(qtbot)
    theme.apply(qapp, "dark")
    assert picture(changed) == picture(show(qtbot))


def test_everything_renders_mirrored_and_at_twice_the_text_size(qapp: QApplication, qtbot: QtBot) -> None:
    showcase = show(qtbot)
    upright = picture(showcase)
    showcase.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    assert picture(showcase) != upright
    width = showcase.minimumSizeHint().width()
    theme.apply(qapp, "light", 2.0)
    qapp.processEvents()  # sizes are asked for anew
    assert showcase.minimumSizeHint().width() > width


def test_everything_that_tab_reaches_has_a_name(qtbot: QtBot) -> None:
    showcase = show(qtbot)
    nameless = []
    for widget in showcase.findChildren(QWidget):
        reachable = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible()
        inside = isinstance(widget.parentWidget(), QAbstractSpinBox)
        if reachable and not inside and not name_of(widget):
            nameless.append(type(widget).__name__)
    assert nameless == []


def name_of(widget: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name)
