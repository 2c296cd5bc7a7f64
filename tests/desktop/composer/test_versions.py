"""Versions of a post: linked until they are changed, each counted and checked for its own platform."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.composer import ComposerPanel
from app.desktop.composer.text_box import left
from app.desktop.composer.version_tabs import Standing, VersionTabs, _Tab
from app.desktop.theme import theme
from app.workspace.editing.draft import SHARED
from tests.desktop.composer.composing import Compose, ready, stored, tomorrow
from tests.desktop.running import LISBON, run, shown, workspace
from tests.desktop.studio import accounts
from tests.gallery.measure.recorder import Recorder
from tests.workspace.media.samples import video
from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened, until


def counters(panel: ComposerPanel) -> list[str]:
    return [left(count) for count in panel.text_box.counters.shown()]


def test_a_version_is_linked_until_it_is_changed_and_is_sent_as_it_reads(
    compose: Compose, service: ModelService
) -> None:
    x, linkedin = service.add_account("x"), service.add_account("linkedin")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        tabs, editor = panel.writing.tabs, panel.text_box.editor
        assert not tabs.isVisible()
        for key in (x, linkedin):
            panel.accounts.toggle(key).setChecked(True)
        assert tabs.isVisible()
        editor.setPlainText("a" * 299)
        assert counters(panel) == ["\u221219"]
        assert tabs.tab(x).accessibleName().endswith("19 too long")
        tabs.tab(x).click()
        assert counters(panel) == ["\u221219"]
        editor.setPlainText("short")
        assert tabs.tab(x).accessibleName().endswith("differs from the shared version")
        tabs.tab("").click()
        editor.setPlainText("shared")
        assert panel.model.text.of(x) == "short"
        assert panel.model.text.of(linkedin) == "shared"
        panel.submit()
        await until(lambda: sorted(service.effects) == ["shared", "short"])

    compose(story, tomorrow())


def test_what_is_too_long_in_one_version_leads_there(compose: Compose, service: ModelService) -> None:
    x, linkedin = service.add_account("x"), service.add_account("linkedin")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        for key in (x, linkedin):
            panel.accounts.toggle(key).setChecked(True)
        panel.text_box.editor.setPlainText("shared")
        panel.model.show_version(x)
        panel.text_box.editor.setPlainText("a" * 281)
        panel.model.show_version("")
        panel.frame.schedule.click()
        assert panel.model.version == x
        assert panel.text_box.editor.hasFocus()
        panel.writing.link.click()
        assert panel.text_box.text() == "shared"
        assert panel.problems.texts() == ()

    compose(story, tomorrow())


def test_versions_come_back_and_tabs_are_walked_by_keyboard(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    x, linkedin = service.add_account("x"), service.add_account("linkedin")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            async with shown(ComposerPanel(opened, LISBON, tomorrow())) as panel:
                await ready(panel)
                for key in (x, linkedin):
                    panel.accounts.toggle(key).setChecked(True)
                panel.text_box.editor.setPlainText("shared")
                tabs = panel.writing.tabs
                tabs.tab("").setFocus()
                QTest.keyClick(tabs.tab(""), Qt.Key.Key_Left)
                last = panel.model.version
                assert last != ""
                QTest.keyClick(tabs.tab(last), Qt.Key.Key_Right)
                assert panel.model.version == ""
                panel.model.show_version(linkedin)
                panel.text_box.editor.setPlainText("longer")
            async with shown(ComposerPanel(opened, LISBON)) as panel:
                await ready(panel)
                assert panel.text_box.text() == "shared"
                panel.model.show_version(linkedin)
                assert panel.text_box.text() == "longer"
                panel.accounts.toggle(linkedin).setChecked(False)
                assert panel.text_box.text() == "shared"
                assert not panel.writing.tabs.isVisible()

    run(qapp, work)


def test_a_title_is_asked_for_where_a_platform_has_one(
    compose: Compose, tmp_path: Path, service: ModelService
) -> None:
    youtube, x = service.add_account("youtube"), service.add_account("x")
    film = video(tmp_path)

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        title = panel.writing.title
        assert not title.isVisible()
        panel.attachment.take([film])
        await until(lambda: stored(panel))
        for key in (youtube, x):
            panel.accounts.toggle(key).setChecked(True)
        assert title.isVisible()
        QTest.keyClicks(title.line, "The long coat")
        panel.text_box.editor.setPlainText("Walk <this> way")
        assert panel.problems.texts() == ("YouTube doesn't allow < or > here.",)
        panel.text_box.editor.setPlainText("Walk this way")
        panel.model.show_version(x)
        assert not title.isVisible()
        panel.submit()
        await until(lambda: len(service.effects) == 2)

    compose(story, tomorrow())
    titles = {post["platform"]: post["title"] for post in service.posts.values()}
    assert titles == {"youtube": "The long coat", "x": None}


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_the_excess_fits_its_tab_at_any_text_size(qapp: QApplication, qtbot: QtBot, scale: float) -> None:
    theme.apply(qapp, "light", scale)
    tab = _Tab("All", None)
    qtbot.addWidget(tab)
    tab.set_standing(Standing(over=1_614))
    tab.resize(tab.sizeHint())
    recorder = Recorder(tab.size())
    tab.render(recorder, QPoint())
    theme.apply(qapp, "light")
    (excess,) = [one for one in recorder.writings if "614" in one.words]
    padding = 8
    assert excess.line.height() <= tab.height() - 2 * padding + 1


def test_names_have_room_after_the_text_size_changed(qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, "light")
    tabs = VersionTabs()
    qtbot.addWidget(tabs)
    tabs.setFixedSize(620, 100)
    tabs.show()
    kind = accounts()[0].platform
    named = [
        replace(one, platform=kind, handle=f"@wool{place}.social") for place, one in enumerate(accounts()[:3])
    ]
    tabs.show_versions(named, SHARED, {})
    theme.apply(qapp, "light", 2.0)
    qapp.processEvents()
    for tab in tabs.findChildren(_Tab):
        assert tab.width() >= tab.sizeHint().width()
    assert sum(tab.width() for tab in tabs.findChildren(_Tab)) <= tabs.width()
    theme.apply(qapp, "light")
