import asyncio
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QDate, Qt, QTime
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea

from app.contract.enums import PostStatus
from app.desktop.composer import ComposerPanel
from app.desktop.theme import theme
from app.desktop.widgets.focus import tab_stops
from app.workspace.editing.schedule import in_zone
from tests.desktop.composer.composing import Compose, kept, ready, tomorrow
from tests.desktop.running import LISBON, run, shown, workspace
from tests.desktop.shell.person import at_home
from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened, new_post, until

TOKYO = ZoneInfo("Asia/Tokyo")
NAMES = ["م" * 200, "Mäuschen 🦊 " * 20, "", "."]


def test_one_text_is_planned_for_two_accounts_by_keyboard_alone(
    compose: Compose, service: ModelService
) -> None:
    first, second = service.add_account("linkedin"), service.add_account("x")

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        planned: list[list[str]] = []
        ends: list[str] = []
        panel.planned.connect(planned.append)
        panel.closed.connect(lambda: ends.append("closed"))
        panel.go_to_text()
        QTest.keyClicks(panel.text_box.editor, "Returns, honestly")
        for key in (first, second):
            panel.accounts.toggle(key).setFocus()
            QTest.keyClick(panel.accounts.toggle(key), Qt.Key.Key_Space)
        assert panel.frame.schedule.text() == "Schedule 2 posts"
        QTest.keyClick(panel.text_box.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        posts = [opened.posts.get(key) for key in planned[0]]
        assert {post.account_key for post in posts if post} == {first, second}
        assert {post.at for post in posts if post} == {tomorrow()}
        assert ends == ["closed"]
        assert (left := await kept(opened)) is None or left.is_empty
        await until(lambda: sorted(service.effects) == ["Returns, honestly"] * 2)

    compose(story, tomorrow())


def test_publish_now_asks_for_no_time(compose: Compose, service: ModelService) -> None:
    account = service.add_account("x")

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        panel.accounts.toggle(account).setChecked(True)
        panel.text_box.editor.setPlainText("Now")
        panel.frame.publish.click()
        await until(lambda: service.effects == ["Now"])
        assert [post.status for post in opened.posts.all()] == [PostStatus.QUEUED]

    compose(story, 1_000)


def test_the_first_problem_gets_the_focus_and_nothing_is_planned(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("x")

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(ComposerPanel(opened, LISBON, 1_000)) as panel,
        ):
            await until(panel.text_box.editor.hasFocus)
            panel.frame.schedule.click()
            assert panel.accounts.toggle(account).hasFocus()
            blank = "Write something, or add a file."
            assert panel.problems.texts() == ("Choose at least one account.", blank)
            panel.accounts.toggle(account).setChecked(True)
            panel.frame.schedule.click()
            assert panel.text_box.editor.hasFocus()
            assert blank in panel.problems.texts()
            panel.text_box.editor.setPlainText("a" * 296)
            panel.frame.schedule.click()
            assert "16 characters too long for X." in panel.problems.texts()
            panel.text_box.editor.setPlainText("short")
            panel.frame.schedule.click()
            assert panel.when.date.hasFocus()
            assert panel.when.problem() == "That time has passed. Choose a later one."
            assert panel.frame.to_fix.text() == "1 to fix"
            QTest.keyClicks(panel.when.date, "wool")
            panel.frame.schedule.click()
            assert panel.when.note().startswith("\u201cwool\u201d isn't a day.")
            assert len(opened.posts) == 0
            QTest.keyClick(panel.when.date, Qt.Key.Key_Escape)
            QTest.keyClicks(panel.when.date, "tomorrow")
            panel.frame.schedule.click()
            assert len(opened.posts) == 1

    run(qapp, work)


def test_counters_show_once_little_room_is_left(compose: Compose, service: ModelService) -> None:
    accounts = service.add_account("linkedin"), service.add_account("x")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        for key in accounts:
            panel.accounts.toggle(key).setChecked(True)
        counters = panel.text_box.counters
        panel.text_box.editor.setPlainText("寿" * 120)
        assert counters.shown() == []
        assert counters.accessibleName() == "X 240/280, LinkedIn 120/3,000"
        panel.text_box.editor.setPlainText("寿" * 131)
        assert [str(count.room) for count in counters.shown()] == ["18"]
        panel.text_box.editor.setPlainText("a" * 2_990)
        assert [(count.platform, count.room) for count in counters.shown()] == [
            ("x", -2_710),
            ("linkedin", 10),
        ]

    compose(story)


def test_what_is_written_comes_back_with_its_accounts_time_and_key(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("x")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            async with shown(ComposerPanel(opened, LISBON, tomorrow())) as panel:
                await ready(panel)
                panel.accounts.toggle(account).setChecked(True)
                panel.text_box.editor.setPlainText("half a thou")
                panel.when.zone.set_zone(TOKYO)
                at = panel.when.at()
            before = await kept(opened)
            assert before is not None
        async with workspace(tmp_path, service) as opened, shown(ComposerPanel(opened, LISBON)) as panel:
            await ready(panel)
            assert panel.text_box.text() == "half a thou"
            assert panel.model.accounts.chosen == (account,)
            assert panel.when.at() == at
            assert panel.when.zone.zone() == TOKYO
            panel.text_box.editor.setPlainText("half a thought")
            panel.close_panel()
            after = await kept(opened)
            assert after is not None
            assert after.text == "half a thought"
            assert after.idempotency_key(account) == before.idempotency_key(account)

    run(qapp, work)


def test_a_pause_is_enough_to_keep_it(compose: Compose) -> None:
    async def story(opened: Opened, panel: ComposerPanel) -> None:
        QTest.keyClicks(panel.text_box.editor, "kept")
        async with asyncio.timeout(60):
            while (draft := await kept(opened)) is None:  # noqa: ASYNC110  the pause tells nobody
                await asyncio.sleep(0.02)
        assert draft is not None
        assert draft.text == "kept"

    compose(story)


def test_looking_at_it_and_closing_keeps_nothing(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            async with shown(ComposerPanel(opened, LISBON, tomorrow())) as panel:
                await ready(panel)
                QTest.keyClick(panel.text_box.editor, Qt.Key.Key_Escape)
            assert (left := await kept(opened)) is None or left.is_empty

    run(qapp, work)


def test_accounts_that_cannot_take_a_text_say_why(compose: Compose, service: ModelService) -> None:
    good, ended = service.add_account("x"), service.add_account("x", available=False)
    others = service.add_account("instagram"), service.add_account("threads")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        panel.accounts.toggle(good)
        for key in (ended, *others):
            with pytest.raises(KeyError):
                panel.accounts.toggle(key)
        assert panel.accounts.note() == (
            "Instagram needs an image or video; Kalends can't publish to Threads yet."
        )

    compose(story)


def test_the_clock_changes_are_handled_openly(compose: Compose) -> None:
    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        when = panel.when
        when.date.setDate(QDate(2027, 3, 28))
        when.time.setTime(QTime(1, 30))
        assert when.at() is None
        assert "01:30 doesn't exist on Sun 28 Mar in Lisbon" in when.note()
        when.use_next.click()
        found = when.at()
        assert found is not None
        assert f"{in_zone(found, LISBON):%H:%M}" == "02:00"
        when.date.setDate(QDate(2027, 10, 31))
        when.time.setTime(QTime(1, 30))
        first = when.at()
        assert "happens twice" in when.note()
        when.which.set_value("second")
        second = when.at()
        assert first is not None
        assert second is not None
        assert second - first == 3_600_000
        when.set_at(second)
        assert when.at() == second

    compose(story)


def test_another_zone_says_the_time_in_the_calendars(compose: Compose) -> None:
    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        when = panel.when
        await until(lambda: when.zone.count() > 300)
        when.zone.setFocus()
        line = when.zone.lineEdit()
        assert line is not None
        line.selectAll()
        QTest.keyClicks(line, "asia/tokyo")
        QTest.keyClick(line, Qt.Key.Key_Return)
        when.date.setDate(QDate(2027, 1, 5))
        when.time.setTime(QTime(9, 0))
        assert when.note() == "In the calendar: Tue 5 Jan, 00:00 (Lisbon)."
        line.setText("Atlantis")
        QTest.keyClick(line, Qt.Key.Key_Return)
        assert when.zone.zone() == TOKYO
        assert line.text() == "Asia/Tokyo"

    compose(story)


def test_the_calendar_hears_where_the_posts_would_stand(compose: Compose, service: ModelService) -> None:
    account = service.add_account("x")

    async def story(_opened: Opened, panel: ComposerPanel) -> None:
        heard: list[tuple[object, int]] = []
        panel.targetChanged.connect(lambda at, count: heard.append((at, count)))
        panel.accounts.toggle(account).setChecked(True)
        assert heard[-1] == (tomorrow(), 1)

    compose(story, tomorrow())


def test_a_new_account_can_be_chosen_at_once(compose: Compose, service: ModelService) -> None:
    async def story(opened: Opened, panel: ComposerPanel) -> None:
        assert "No accounts connected" in panel.accounts.note()
        key = service.add_account("x")
        await opened.refresh()
        panel.accounts.toggle(key).setChecked(True)
        assert panel.model.accounts.chosen == (key,)

    compose(story)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_any_name_and_text_renders(
    qapp: QApplication, tmp_path: Path, service: ModelService, mode: theme.Mode
) -> None:
    keys = []
    for name in NAMES:
        keys.append(service.add_account("x"))
        service.connections[-1]["display_name"] = name

    async def work() -> None:
        theme.apply(qapp, mode)
        async with workspace(tmp_path, service) as opened, shown(ComposerPanel(opened, LISBON)) as panel:
            await ready(panel)
            for key in keys:
                panel.accounts.toggle(key).setChecked(True)
            panel.text_box.editor.setPlainText("مرحبا 👩‍👩‍👧 \u202e\x00" + "long" * 4_000)
            panel.resize(440, 500)
            image = panel.grab().toImage()
            assert image.pixelColor(200, 4).name().upper() == theme.current().tokens.surface
            assert panel.width() == 440

    run(qapp, work)


def test_in_a_low_panel_all_but_title_and_footer_scroll(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    key = service.add_account("x")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(ComposerPanel(opened, LISBON)) as panel:
            await ready(panel)
            chip, areas = panel.accounts.toggle(key), panel.findChildren(QScrollArea)
            (scrolled,) = (area for area in areas if area.isAncestorOf(panel.text_box))
            chip.setFocus()
            for height, is_low in ((400, True), (900, False), (400, True)):
                panel.resize(440, height)
                assert scrolled.isAncestorOf(panel.accounts) is is_low
                assert scrolled.isAncestorOf(panel.preview) is is_low
                assert chip.hasFocus()
                stops = list(tab_stops(panel))
                assert stops.index(chip) < stops.index(panel.text_box.editor)
            assert chip.isVisible()

    run(qapp, work)


def test_undo_in_the_composer_leaves_the_posts_in_the_calendar_as_they_are(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = service.add_account("x")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, at_home(tmp_path, opened) as person:
            opened.plan([new_post(account, "Scheduled before", tomorrow())])
            person.controller.panels.compose()
            panel = await person.composer()
            for focused in (panel.accounts.toggle(account), panel.frame.schedule, panel.when.time):
                focused.setFocus()
                QTest.keyClick(focused, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
                assert [post.status for post in opened.posts.all()] == [PostStatus.SCHEDULED]
            person.controller.calendar.setFocus()
            QTest.keyClick(person.window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
            assert [post.status for post in opened.posts.all()] == [PostStatus.CANCELLED]

    run(qapp, work)
