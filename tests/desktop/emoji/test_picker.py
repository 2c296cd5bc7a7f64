"""Emoji are chosen by name or group, by keyboard or mouse, and stand in the text where the cursor is."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app import resources
from app.desktop.composer import ComposerPanel
from app.desktop.emoji.catalogue import Catalogue
from app.desktop.emoji.grid import COLUMNS, EmojiGrid
from app.desktop.emoji.picker import EmojiPopover
from app.desktop.theme import theme
from tests.desktop.composer.composing import ready
from tests.desktop.running import LISBON, run, shown, workspace
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until


async def opened_picker(panel: ComposerPanel) -> EmojiPopover:
    QTest.keyClick(panel.text_box.editor, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: panel.emoji.popover)
    assert panel.emoji.popover is not None
    return panel.emoji.popover


def test_the_bundled_typeface_draws_every_one_as_a_single_glyph() -> None:
    metrics = QFontMetricsF(theme.current().font("emoji"))
    catalogue = Catalogue.read(resources.path("emoji/en.json"))
    texts = [text for group in catalogue.groups for one in group.emoji for text in (one.text, *one.tones)]
    assert [
        text for text in texts if metrics.horizontalAdvance(text) != metrics.horizontalAdvance("🦊")
    ] == []


def test_by_keyboard_alone_it_stands_where_the_cursor_was(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ComposerPanel(opened, LISBON)) as panel:
            await ready(panel)
            editor = panel.text_box.editor
            editor.setPlainText("Wool , linen")
            cursor = editor.textCursor()
            cursor.setPosition(5)
            editor.setTextCursor(cursor)
            popover = await opened_picker(panel)
            QTest.keyClicks(popover.line, "yarn")
            assert popover.name.text() == "yarn"
            QTest.keyClick(popover.line, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
            assert panel.model.text.shared == "Wool 🧶, linen"
            popover.line.clear()
            QTest.keyClicks(popover.line, "thread")
            QTest.keyClick(popover.line, Qt.Key.Key_Return)
            assert panel.model.text.shared == "Wool 🧶🧵, linen"
            await until(lambda: panel.emoji.popover is None)
            editor.undo()
            assert panel.model.text.shared == "Wool , linen"
            await until(lambda: opened.emoji.recent == ("🧵", "🧶"))

    run(qapp, work)


def test_what_was_used_comes_first_next_time_and_the_tone_is_kept(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ComposerPanel(opened, LISBON)) as panel:
            await ready(panel)
            popover = await opened_picker(panel)
            assert next(iter(popover.tabs)) == "Smileys & emotion"
            popover.tones().actions()[4].trigger()
            assert popover.tone.accessibleName() == "Skin tone: medium-dark"
            QTest.keyClicks(popover.line, "waving hand")
            QTest.keyClick(popover.line, Qt.Key.Key_Return)
            assert panel.model.text.shared == "👋🏾"
            await until(lambda: opened.emoji.recent == ("👋🏾",))
        async with workspace(tmp_path, service) as opened, shown(ComposerPanel(opened, LISBON)) as panel:
            await ready(panel)
            panel.text_box.editor.clear()
            popover = await opened_picker(panel)
            assert [one.text for one in popover.grid.emoji] == ["👋🏾"]
            assert popover.grid.current is not None
            assert popover.grid.current.name == "waving hand, medium-dark skin tone"
            QTest.keyClick(popover.line, Qt.Key.Key_Return)
            assert panel.model.text.shared == "👋🏾"

    run(qapp, work)


def test_groups_are_walked_by_arrows_and_searching_leaves_them(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ComposerPanel(opened, LISBON)) as panel:
            await ready(panel)
            popover = await opened_picker(panel)
            tabs = list(popover.tabs.values())
            tabs[0].setFocus()
            QTest.keyClick(tabs[0], Qt.Key.Key_Left)
            assert tabs[-1].hasFocus()
            assert popover.grid.emoji[0].text == "🏁"
            QTest.keyClick(tabs[-1], Qt.Key.Key_Down)
            assert popover.line.hasFocus()
            QTest.keyClicks(popover.line, "no such thing")
            assert popover.nothing.isVisible()
            assert not any(tab.isChecked() for tab in tabs)
            QTest.keyClick(popover.line, Qt.Key.Key_Return)
            assert panel.model.text.shared == ""
            popover.tabs["Food & drink"].click()
            assert popover.line.text() == ""
            assert popover.grid.emoji[0].text == "🍇"
            where = popover.grid.visualRect(popover.grid.model().index(1, 0)).center()
            QTest.mouseClick(popover.grid.viewport(), Qt.MouseButton.LeftButton, pos=where)
            assert panel.model.text.shared == popover.grid.emoji[1].text

    run(qapp, work)


def test_up_and_down_keep_the_column_and_end_at_the_edges() -> None:
    grid = EmojiGrid()
    catalogue = Catalogue.read(resources.path("emoji/en.json"))
    grid.show_emoji(catalogue.groups[0].emoji[: 2 * COLUMNS + 3])

    def walk(*keys: Qt.Key) -> int:
        for key in keys:
            grid.walk(key)
        return grid.currentIndex().row()

    right, left, up, down = Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Down
    assert walk(right, right) == 2
    assert walk(down, down) == 2 * COLUMNS + 2
    assert walk(down, right) == 2 * COLUMNS + 2
    assert walk(up, right) == COLUMNS + 3
    assert walk(down) == 2 * COLUMNS + 2
    assert walk(Qt.Key.Key_PageUp) == 2
    assert walk(left, left, left, up) == 0
    grid.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    assert walk(left) == 1
    grid.deleteLater()


def test_the_tab_of_a_tone_says_its_name() -> None:
    grid = EmojiGrid()
    (thumb,) = Catalogue.read(resources.path("emoji/en.json")).named(["👍"])
    grid.show_emoji([thumb.in_tone(1)])
    said = grid.model().data(grid.model().index(0, 0), Qt.ItemDataRole.AccessibleTextRole)
    assert said == "thumbs up, light skin tone"
    grid.deleteLater()
