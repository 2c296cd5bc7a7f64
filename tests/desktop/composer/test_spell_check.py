"""Spelling in the composer: what is marked, what is left alone, and the menu of a word."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.desktop.composer import ComposerPanel
from app.desktop.composer.spell_check import language_name
from app.workspace.spelling import OFF
from tests.desktop.composer.composing import kept, ready
from tests.desktop.running import LISBON, run, shown, workspace
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until
from tests.workspace.spelling_samples import FewWords, give


def marked(panel: ComposerPanel) -> list[str]:
    return [word for _begin, _end, word in panel.text_box.highlighter.marked()]


def entries(menu: QMenu) -> list[str]:
    return [action.text().partition("\t")[0] for action in menu.actions() if not action.isSeparator()]


def test_unknown_words_are_marked_and_put_right_and_nothing_else_is(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await give(opened, FewWords())
            async with shown(ComposerPanel(opened, LISBON)) as panel:
                await ready(panel)
                editor = panel.text_box.editor
                editor.setPlainText("🧶 wol coat #wol @wol https://wol.pt/wol WOL, hnad")
                await until(lambda: marked(panel) == ["wol", "hnad"])
                QTest.keyClick(editor, Qt.Key.Key_F7)
                assert editor.textCursor().selectedText() == "wol"
                place = panel.text_box.highlighter.marked()[0]
                found = await opened.spelling.suggest("en_GB", "wol")
                menu = panel.spelling.menu(place, found, place[0])
                assert entries(menu)[: len(found)] == found
                next(action for action in menu.actions() if action.text() == "wool").trigger()
                assert panel.model.text.shared.startswith("🧶 wool coat #wol")
                await until(lambda: marked(panel) == ["hnad"])
                QTest.keyClick(editor, Qt.Key.Key_F7)
                assert editor.textCursor().selectedText() == "hnad"

    run(qapp, work)


def test_a_word_is_ignored_added_and_removed_again(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await give(opened, FewWords())
            async with shown(ComposerPanel(opened, LISBON)) as panel:
                await ready(panel)
                panel.text_box.editor.setPlainText("Okafor selvedge wool")
                await until(lambda: marked(panel) == ["Okafor", "selvedge"])
                first, second = panel.text_box.highlighter.marked()
                menu = panel.spelling.menu(first, [], 0)
                assert entries(menu)[:3] == [
                    "No suggestions",
                    "Ignore “Okafor”",
                    "Add “Okafor” to dictionary",
                ]
                menu.actions()[2].trigger()
                await until(lambda: marked(panel) == ["selvedge"])
                panel.spelling.menu(second, [], 8).actions()[3].trigger()
                await until(lambda: marked(panel) == [])
                menu = panel.spelling.menu(None, [], 10)
                assert entries(menu)[0] == "Remove “selvedge” from dictionary"
                menu.actions()[0].trigger()
                await until(lambda: marked(panel) == ["selvedge"])

    run(qapp, work)


def test_the_word_that_is_being_written_is_left_alone(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            dictionaries = FewWords()
            await give(opened, dictionaries)
            async with shown(ComposerPanel(opened, LISBON)) as panel:
                await ready(panel)
                QTest.keyClicks(panel.text_box.editor, "hnad wol")
                await until(lambda: marked(panel) == ["hnad"])
                QTest.keyClicks(panel.text_box.editor, " ")
                await until(lambda: marked(panel) == ["hnad", "wol"])
                assert dictionaries.asked.count("hnad") == 1

    run(qapp, work)


def test_the_language_belongs_to_the_draft(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await give(opened, FewWords())
            async with shown(ComposerPanel(opened, LISBON)) as panel:
                await ready(panel)
                panel.text_box.editor.setPlainText("Der Mantel ist zurück, wool")
                await until(lambda: "Mantel" in marked(panel))
                languages = panel.spelling.menu(None, [], 0).actions()[-1].menu()
                assert isinstance(languages, QMenu)
                assert entries(languages) == [language_name(one) for one in ("de_DE", "en_GB", OFF)]
                languages.actions()[0].trigger()
                await until(lambda: marked(panel) == ["wool"])
                panel.close_panel()
            draft = await kept(opened)
            assert draft is not None
            assert draft.language == "de_DE"
            await opened.spelling.prefer(OFF)
            async with shown(ComposerPanel(opened, LISBON)) as panel:
                await until(lambda: marked(panel) == ["wool"])
                off = panel.spelling.menu(None, [], 0).actions()[-1].menu()
                assert isinstance(off, QMenu)
                off.actions()[-1].trigger()
                await until(lambda: marked(panel) == [])

    run(qapp, work)


def test_without_dictionaries_nothing_is_offered(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await give(opened, FewWords(("",)))
            opened.spelling.languages = ()
            async with shown(ComposerPanel(opened, LISBON)) as panel:
                await ready(panel)
                panel.text_box.editor.setPlainText("hnad wol")
                await panel.spelling.check()
                assert marked(panel) == []
                assert entries(panel.spelling.menu(None, [], 0))[-1] == "Select all"

    run(qapp, work)


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("en_GB", "English (United Kingdom)"),
        ("de", "German"),
        ("xq_QX", "xq_QX"),
        (OFF, "Don't check spelling"),
    ],
)
def test_languages_are_called_by_their_names(language: str, name: str) -> None:
    assert language_name(language) == name
