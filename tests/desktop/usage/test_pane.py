"""The pane of the usage, over a service in memory: what shows, what is not known, and what goes wrong."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea
from sqlalchemy import insert

from app.desktop.theme import theme
from app.desktop.usage import UsagePane
from app.desktop.usage.actions import ActionsAxis, Columns
from app.workspace.clock import wall_clock
from app.workspace.messages import Message
from app.workspace.store.tables import usage_readings
from app.workspace.usage import Overview
from app.workspace.workspace import Workspace
from tests.desktop.running import LISBON, run, service_of_today, shown, workspace
from tests.workspace.model_service import HOUR, ModelService
from tests.workspace.model_usage import count, limit, store
from tests.workspace.opened import until

GIB = 1024**3


@pytest.fixture
def service() -> ModelService:
    made = service_of_today()
    store(made, 12 * GIB, 48 * GIB)
    count(made, {"posts.create": 148, "reels.publish_now": 3, "posts.list": 412}, plan="creator")
    limit(made, {"posts.create": (60, 5), "posts.list": (300, 300)})
    return made


def opened_pane(opened: Workspace) -> AbstractAsyncContextManager[UsagePane]:
    return shown(UsagePane(opened, LISBON), (1_072, 760))


def spoken(pane: UsagePane) -> list[str]:
    model = pane.actions_.model
    rows = range(model.rowCount())
    return [str(model.index(row).data(Qt.ItemDataRole.AccessibleTextRole)) for row in rows]


async def seen(pane: UsagePane) -> Overview:
    await until(lambda: pane.seen is not None)
    assert pane.seen is not None
    return pane.seen


def test_plan_storage_and_actions_show_with_what_is_allowed(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            await seen(pane)
            assert pane.plan.name.text() == "Creator"
            assert pane.storage.accessibleName() == "Storage: 12 GB of 48 GB"
            assert pane.storage.share.text() == "25% used"
            assert spoken(pane) == [
                "Posts, Create: 148 calls, 5 of 60 left this minute",
                "Posts, List: 412 calls, 300 per minute",
                "Other, “reels.publish_now”: 3 calls",
            ]
            assert pane.actions_.low.text() == "Posts, create: 5 of 60 left this minute"
            assert pane.read.text() == "Updated just now"

    run(qapp, work)


@pytest.mark.parametrize("width", [668, 1_072])
def test_at_the_largest_text_nothing_scrolls_sideways(
    qapp: QApplication, tmp_path: Path, service: ModelService, width: int
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            await seen(pane)
            theme.apply(qapp, "light", 2.0)
            pane.resize(width, 600)
            await until(lambda: pane.actions_.width() < width)
            assert pane.minimumSizeHint().width() <= width
            areas = pane.findChildren(QScrollArea)
            assert [area for area in areas if area.horizontalScrollBar().maximum()] == []

    run(qapp, work)


def test_areas_stand_apart_and_the_numbers_of_the_axis_above_their_lines(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    count(service, {f"posts.odd_{number}": 3 for number in range(40)} | {"media.view": 7})

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            await seen(pane)
            view, model = pane.actions_.list.view, pane.actions_.model
            heights = [view.visualRect(model.index(row)).height() for row in range(model.rowCount())]
            second = next(row for row, one in enumerate(model.rows) if row and one.is_first)
            assert heights[second] > heights[0] > heights[second + 1]
            (numbers,) = pane.actions_.findChildren(ActionsAxis)
            assert vars(numbers.columns()) == vars(Columns(view.viewport().width(), model.rows))

    run(qapp, work)


def test_the_pane_alone_scrolls_and_follows_the_arrow_keys_through_the_actions(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    count(service, {f"posts.odd_{number:02}": 3 for number in range(40)})

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            await seen(pane)
            view, model = pane.actions_.list.view, pane.actions_.model
            (area,) = (one for one in pane.findChildren(QScrollArea) if one.isAncestorOf(view))
            await until(lambda: area.verticalScrollBar().maximum() > 0)
            assert view.verticalScrollBar().maximum() == 0
            view.setFocus()
            for row in (model.rowCount() - 1, 0):
                QTest.keyClick(view, Qt.Key.Key_End if row else Qt.Key.Key_Home)
                place = view.visualRect(model.index(row)).translated(
                    view.viewport().mapTo(area.viewport(), QPoint())
                )
                assert area.viewport().rect().contains(place.center())

    run(qapp, work)


def test_nothing_is_foretold_from_one_reading(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            found = await seen(pane)
            assert (found.growth, found.at_end) == (None, None)
            assert pane.calls.not_yet.isVisible()
            for absent in (pane.storage.outlook, pane.calls.chart, pane.calls.at_end):
                assert not absent.isVisible()

    run(qapp, work)


def test_readings_make_days_and_an_outlook_and_the_arrows_walk(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    now = wall_clock()
    rows = [
        {"at": now - hours * HOUR, "calls": 10_000 - hours, "used_bytes": 12 * GIB - hours * GIB // 100}
        for hours in range(6, 24 * 12, 6)
    ]
    count(service, {"posts.list": 10_000})

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            await opened._core.write(lambda written: written.execute(insert(usage_readings), rows))
            async with opened_pane(opened) as pane:
                found = await seen(pane)
                assert found.growth is not None
                assert found.growth.full_on is not None
                assert pane.storage.title.text().startswith("Full in ")
                assert pane.storage.outlook.isVisible()
                chart = pane.calls.chart
                has_more = sum(day.calls is not None for day in found.days) > 1
                assert chart.isVisible() == has_more != pane.calls.not_yet.isVisible()
                if has_more:  # on the first of a month there's only one day
                    QTest.keyClick(chart, Qt.Key.Key_Left)
                    assert chart.spoken().endswith("so far")
                    QTest.keyClick(chart, Qt.Key.Key_Left)
                    assert chart.spoken().endswith("24 calls")

    run(qapp, work)


def test_without_the_service_what_it_said_stays_and_it_is_asked_again(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            await seen(pane)
            service.online = False
            QTest.keyClick(pane, Qt.Key.Key_F5)
            await until(pane.strip.isVisible)
            assert pane.strip.text().startswith("The service can't be reached.")
            assert pane.strip.kind() == "warn"
            assert pane.plan.name.text() == "Creator"
            service.online = True
            count(service, {"posts.list": 1}, plan="studio")
            QTest.mouseClick(pane.strip.button, Qt.MouseButton.LeftButton)
            await until(lambda: pane.plan.name.text() == "Studio")
            assert not pane.strip.isVisible()

    run(qapp, work)


@pytest.mark.parametrize("fault", ["500", "429", "garbage", "refuse"])
def test_a_service_that_fails_leaves_a_sentence_and_a_way_on(
    qapp: QApplication, tmp_path: Path, service: ModelService, fault: str
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            service.faults = [("GET", fault)] * 500
            async with opened_pane(opened) as pane:
                await until(pane.failed.isVisible)
                assert pane.failed.text()
                service.faults.clear()
                pane.failed.acted.emit()
                await until(lambda: pane.seen is not None)

    run(qapp, work)


def test_a_service_that_tells_nothing_of_its_usage_is_said_so(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service_of_today()) as opened, opened_pane(opened) as pane:
            await until(pane.failed.isVisible)
            assert pane.failed.text() == "This service doesn't report usage."
            assert not pane.export_button.isEnabled()

    run(qapp, work)


def test_answers_that_this_version_does_not_know_show_in_words(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    store(service, 5 * GIB, 0)
    count(service, {}, plan=None, status="on_hold", period="fortnight")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            await seen(pane)
            assert pane.plan.name.text() == "No plan"
            assert pane.plan.status.accessibleName() == "unknown"
            assert pane.plan.status.toolTip() == "The service calls this status “on_hold”."
            assert pane.actions_.nothing.isVisible()
            assert not pane.plan.bar.isVisible()

    run(qapp, work)


def test_numbers_are_exported_and_no_cell_is_a_formula(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    count(service, {"posts.create": 7}, plan='=HYPERLINK("https://evil.example")')
    said: list[Message] = []

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, opened_pane(opened) as pane:
            pane.told.connect(said.append)
            await seen(pane)
            pane.write(tmp_path / "usage.csv")
            await until(lambda: said)
            pane.write(tmp_path / "missing" / "usage.csv")
            await until(lambda: len(said) == 2)

    run(qapp, work)
    written = (tmp_path / "usage.csv").read_text("utf-8-sig").splitlines()
    assert "Action,rest.posts.create,7,60 in 60 s" in written
    assert any("'=HYPERLINK" in line for line in written)
    assert [message.kind for message in said] == ["info", "error"]
