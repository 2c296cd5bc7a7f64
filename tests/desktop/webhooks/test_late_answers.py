"""The pane of webhooks while answers are on their way, and what came meanwhile."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from app.contract.enums import EventType
from app.desktop.webhooks import WebhooksPane
from app.desktop.webhooks.sheets import RemovalSheet
from app.workspace.clock import wall_clock
from tests.desktop.pressing import press
from tests.desktop.running import LISBON, run, shown, workspace
from tests.workspace.held_service import HeldService
from tests.workspace.model_webhooks import ModelWebhooks
from tests.workspace.opened import opened, until

URL, OTHER = "https://hooks.example/in", "https://other.example"
SIZE = (1_072, 760)


@pytest.fixture
def service() -> HeldService:
    made = HeldService(wall_clock)
    made.offers = ("deliveries",)
    return made


@pytest.fixture
def model(service: HeldService) -> ModelWebhooks:
    return ModelWebhooks(service)


async def settled(pane: WebhooksPane) -> None:
    await until(lambda: pane.chosen() is not None and pane.refresh_button.isEnabled())


def test_events_that_are_switched_quickly_are_all_kept(
    qapp: QApplication, tmp_path: Path, service: HeldService, model: ModelWebhooks
) -> None:
    model.add(URL, "post.published")

    async def work() -> None:
        async with workspace(tmp_path, service) as made, shown(WebhooksPane(made, LISBON), SIZE) as pane:
            await settled(pane)
            boxes, wanted = pane.card.events.boxes, {EventType.POST_PUBLISHED}
            with service.hold("PATCH", model.webhooks[0]["id"], done=False):
                for event in (EventType.POST_FAILED, EventType.POST_SCHEDULED):
                    boxes[event].click()
                    wanted.add(event)
                await until(lambda: service.waiting)
                pane.refresh()  # as it does by itself
                await until(pane.refresh_button.isEnabled)
                assert {event for event, box in boxes.items() if box.isChecked()} == wanted
                boxes[EventType.CONNECTION_EXPIRED].click()
                wanted.add(EventType.CONNECTION_EXPIRED)
            await until(lambda: set(model.webhooks[0]["events"]) == wanted)
            await until(lambda: not service.waiting)
            assert {event for event, box in boxes.items() if box.isChecked()} == wanted

    run(qapp, work)


def test_a_test_that_is_under_way_leaves_the_other_webhooks_free(
    qapp: QApplication, tmp_path: Path, service: HeldService, model: ModelWebhooks
) -> None:
    model.add(URL)
    model.add(OTHER)

    async def work() -> None:
        async with workspace(tmp_path, service) as made, shown(WebhooksPane(made, LISBON), SIZE) as pane:
            await settled(pane)
            with service.hold("POST", "/test"):
                press(pane.card.test)
                await until(lambda: service.waiting)
                pane.refresh()
                await until(pane.refresh_button.isEnabled)
                assert not pane.card.test.isEnabled()
                assert pane.card.outcome.text() == "Waiting up to 10 seconds"
                pane.list.setCurrentIndex(pane.model.index(1))
                assert pane.card.test.isEnabled()
                assert pane.card.outcome.text() == ""
                pane.list.setCurrentIndex(pane.model.index(0))
                assert not pane.card.test.isEnabled()
            await until(pane.card.test.isEnabled)
            assert pane.card.outcome.text() == "200 in 84 ms"

    run(qapp, work)


def test_a_pane_that_goes_takes_the_test_that_is_under_way_along(
    qapp: QApplication, tmp_path: Path, service: HeldService, model: ModelWebhooks
) -> None:
    model.add(URL)

    async def work() -> None:
        async with workspace(tmp_path, service) as made:
            with service.hold("POST", "/test"):
                async with shown(WebhooksPane(made, LISBON), SIZE) as pane:
                    await settled(pane)
                    press(pane.card.test)
                    await until(lambda: service.waiting)
                await until(lambda: not isValid(pane))

    run(qapp, work)


def test_an_answer_that_is_older_than_a_deletion_brings_nothing_back(
    qapp: QApplication, tmp_path: Path, service: HeldService, model: ModelWebhooks
) -> None:
    model.add(URL)
    model.add(OTHER)

    async def work() -> None:
        async with workspace(tmp_path, service) as made, shown(WebhooksPane(made, LISBON), SIZE) as pane:
            await settled(pane)
            with service.hold("GET", "/webhooks"):
                pane.refresh()
                await until(lambda: service.waiting)
                pane.list.setFocus()
                QTest.keyClick(pane.list, Qt.Key.Key_Delete)
                (sheet,) = pane.findChildren(RemovalSheet)
                press(sheet.go)
                await until(lambda: pane.model.rowCount() == 1)
            await until(pane.refresh_button.isEnabled)
            assert [one.url for one in pane.model.webhooks] == [OTHER]

    run(qapp, work)


def test_before_the_first_answer_nobody_is_called_away(
    qapp: QApplication, tmp_path: Path, service: HeldService, model: ModelWebhooks
) -> None:
    model.add(URL)

    async def work() -> None:
        with service.hold("GET", ""):
            async with opened(tmp_path, service) as made, shown(WebhooksPane(made, LISBON), SIZE) as pane:
                await until(lambda: service.waiting)
                assert pane.strip.text() == ""
                service.held.clear()
                await settled(pane)
                assert pane.strip.text() == ""
                service.held.append(("GET", "", True))

    run(qapp, work)


def test_what_was_replayed_can_be_compared_with_the_other_one(
    qapp: QApplication, tmp_path: Path, service: HeldService, model: ModelWebhooks
) -> None:
    model.deliver(model.add(URL))

    async def work() -> None:
        async with workspace(tmp_path, service) as made, shown(WebhooksPane(made, LISBON), SIZE) as pane:
            log = pane.log
            await until(lambda: log.model.rowCount() == 1)
            log.list.setCurrentIndex(log.model.index(0))
            press(log.panel.replay)
            await until(lambda: log.model.rowCount() == 2)
            assert log.panel.compare.isVisible()
            assert log.panel.compare.text() == "Compare with attempt 2"
            await until(log.panel.replay.isEnabled)
            press(log.panel.replay)
            await until(lambda: log.model.rowCount() == 3)
            assert log.panel.compare.text() == "Compare with 2 others"

    run(qapp, work)


def test_the_log_stays_where_it_was_scrolled_to(
    qapp: QApplication, tmp_path: Path, service: HeldService, model: ModelWebhooks
) -> None:
    webhook = model.add(URL)
    for number in range(60):
        model.deliver(webhook, ago=60 + number)

    async def work() -> None:
        async with workspace(tmp_path, service) as made, shown(WebhooksPane(made, LISBON), SIZE) as pane:
            log = pane.log
            await until(lambda: log.model.rowCount() == 60)
            log.list.setCurrentIndex(log.model.index(0))
            bar = log.list.verticalScrollBar()
            bar.setValue(bar.maximum() // 2)
            seen = log.model.delivery(log.list.indexAt(log.list.viewport().rect().center()).row())
            model.deliver(webhook, ago=0)
            log.refresh()
            await until(lambda: log.model.rowCount() == 61)
            now = log.model.delivery(log.list.indexAt(log.list.viewport().rect().center()).row())
            assert now == seen

    run(qapp, work)
