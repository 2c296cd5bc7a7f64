"""Best times are suggested below posting times, taken with one press, and never made up."""

from datetime import datetime
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.desktop.slots import SlotPanel
from app.desktop.slots.best_times import SuggestedTime
from app.workspace.slots.slots import Slot
from tests.desktop.running import run, shown, workspace
from tests.desktop.slots.numbers import NOON, TUESDAY, ZONE, Numbers
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until


def standing(row: SuggestedTime) -> tuple[bool, bool]:
    """Whether it is taken, and whether it can be."""
    return row.is_taken, row.add.isVisible()


def test_a_best_time_says_why_and_is_taken_with_one_press(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    key = service.add_account()
    Numbers(service, key, weeks=5)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SlotPanel(opened, ZONE)) as panel:
            found = panel.suggestions(key)
            await until(lambda: found.rows)
            [row] = found.rows
            assert row.add.accessibleName() == "Add Tuesday 12:00"
            assert "1.5 times the average, from 5 of your posts" in row.add.accessibleDescription()
            assert "by views, last sampled" in row.add.accessibleDescription()
            row.add.setFocus()
            QTest.keyClick(row.add, Qt.Key.Key_Space)
            await until(lambda: opened.slots.all() == (Slot(key, TUESDAY, NOON),))
            assert standing(row) == (True, False)
            assert QApplication.focusWidget() is row
            await until(lambda: not panel._unkept[key])
            await opened.slots.set(key, [])
            assert standing(row) == (False, True)

    run(qapp, work)


def test_a_best_time_joins_the_days_of_a_time_that_is_there(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    key = service.add_account()
    Numbers(service, key, weeks=5)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await opened.slots.set(key, [Slot(key, 4, NOON)])
            async with shown(SlotPanel(opened, ZONE)) as panel:
                await until(lambda: panel.suggestions(key).rows)
                panel.suggestions(key).rows[0].add.click()
                await until(lambda: Slot(key, TUESDAY, NOON) in opened.slots.all())
                assert opened.slots.all() == (Slot(key, TUESDAY, NOON), Slot(key, 4, NOON))

    run(qapp, work)


def test_with_too_few_posts_it_is_said_how_many_are_missing(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    key, other = service.add_account(), service.add_account()
    Numbers(service, key, weeks=3)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SlotPanel(opened, ZONE)) as panel:
            few = "Best times need 10 posts older than a week; 4 more to go."
            await until(lambda: panel.suggestions(key).note() == few)
            assert panel.suggestions(other).note().endswith("10 more to go.")
            assert not panel.suggestions(key).rows

    run(qapp, work)


def test_what_is_not_reported_is_said_so(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    key = service.add_account()
    Numbers(service, key, weeks=6, views=0)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SlotPanel(opened, ZONE)) as panel:
            await until(lambda: "X doesn't report metrics" in panel.suggestions(key).note())

    run(qapp, work)


def test_a_failure_is_said_and_tried_again(qapp: QApplication, tmp_path: Path, service: ModelService) -> None:
    key = service.add_account()
    numbers = Numbers(service, key, weeks=5)
    numbers.is_broken = True

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SlotPanel(opened, ZONE)) as panel:
            await until(panel.strip.button.isVisible)
            assert "internal error" in panel.strip.text()
            assert not panel.suggestions(key).isVisible()
            numbers.is_broken = False
            panel.strip.button.click()
            await until(lambda: panel.suggestions(key).rows)
            assert not panel.strip.isVisible()

    run(qapp, work)


def test_a_service_without_metrics_is_not_asked_again(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    service.add_account()

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, shown(SlotPanel(opened, ZONE)) as panel:
            await until(panel.strip.isVisible)
            assert panel.strip.text() == "This service doesn't provide post metrics."
            assert not panel.strip.button.isVisible()

    run(qapp, work)


def test_without_the_service_the_last_numbers_show_with_their_time(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    key = service.add_account()
    numbers = Numbers(service, key, weeks=5)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await opened.analytics.refresh()
            asked = len(numbers.asked)
            service.online = False
            await until(lambda: not opened.sync.connected)
            async with shown(SlotPanel(opened, ZONE)) as panel:
                await until(lambda: panel.suggestions(key).rows)
                at = datetime.fromtimestamp(await opened.analytics.asked_at() / 1_000, ZONE)
                assert f"Best times as of {at:%a} {at.day} {at:%b}, {at:%H:%M}." in panel.strip.text()
                assert not panel.strip.button.isVisible()
                service.online = True
                await until(lambda: not panel.strip.isVisible())
            assert len(numbers.asked) == asked  # some hours have not gone by

    run(qapp, work)
