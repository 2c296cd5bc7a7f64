"""An unfinished post: the next start shows it, with its accounts and time."""

from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.desktop.composer import ComposerPanel
from app.desktop.drafts.list import FACTS, WHEN
from app.desktop.words import day_and_time
from tests.journeys.conftest import Play
from tests.journeys.stage import ZONE, Actor, Stage
from tests.journeys.test_plan_and_publish import a_week_from_now
from tests.workspace.opened import until


async def writing(actor: Actor) -> ComposerPanel:
    """Return the composer, once it accepts text."""
    await until(lambda: isinstance(actor.application.window.side, ComposerPanel))
    panel = actor.application.window.side
    assert isinstance(panel, ComposerPanel)
    await actor.until(lambda: not panel.text_box.editor.isReadOnly())
    return panel


def test_an_unfinished_post_keeps_its_day_over_a_restart_and_a_new_post(stage: Stage, play: Play) -> None:
    at = a_week_from_now(9, 30)

    async def journey() -> None:
        async with stage.app() as actor:
            account = await actor.connect("linkedin")
            panel = actor.controller.panels.compose(at)
            await writing(actor)
            panel.accounts.toggle(account).setChecked(True)
            panel.text_box.editor.setFocus()
            QTest.keyClicks(panel.text_box.editor, "Half written")
            await actor.until(lambda: actor.workspace.is_writing_kept)

        async with stage.app() as actor:
            rows = actor.controller.drafts.list
            await actor.until(lambda: rows.count() == 1)
            assert rows.item(0).text() == "Half written"
            when = a_moment(at)
            assert rows.item(0).data(WHEN) == when
            assert str(rows.item(0).data(FACTS)).startswith("Unfinished · ")
            actor.application.window.go("calendar")
            actor.press(Qt.Key.Key_N)
            panel = await writing(actor)
            assert panel.text_box.text() == "Half written"
            assert panel.when.at() == at
            QTest.keyClick(panel.text_box.editor, Qt.Key.Key_Escape)
            await actor.until(lambda: actor.application.window.side is None and rows.count() == 1)
            QTest.mouseClick(actor.controller.calendar.toolbar._new, Qt.MouseButton.LeftButton)
            panel = await writing(actor)
            assert panel.when.at() == at
            QTest.mouseClick(panel.frame.schedule, Qt.MouseButton.LeftButton)
            assert [(post.headline, post.at) for post in actor.workspace.posts] == [("Half written", at)]
            await actor.until(lambda: rows.count() == 0)

    play(journey())


def a_moment(at: int) -> str:
    moment = datetime.fromtimestamp(at / 1_000, ZONE)
    return day_and_time(moment)
