"""The pane of webhooks, over a service in memory."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.contract.enums import EventType
from app.desktop.webhooks import WebhooksPane
from app.desktop.webhooks.delivery import CompareSheet
from app.desktop.webhooks.sheets import AddressSheet, RemovalSheet, SecretSheet
from app.desktop.webhooks.subscriptions import shown_events
from app.workspace.messages import Message
from app.workspace.webhooks.webhooks import SNIPPETS
from app.workspace.workspace import Workspace
from tests.desktop.pressing import press
from tests.desktop.running import LISBON, run, service_of_today, shown, workspace
from tests.workspace.model_service import ModelService
from tests.workspace.model_webhooks import SECRET, ModelWebhooks
from tests.workspace.opened import until

URL = "https://hooks.example/in"


@pytest.fixture
def service() -> ModelService:
    made = service_of_today()
    made.offers = ("deliveries",)
    return made


@pytest.fixture
def model(service: ModelService) -> ModelWebhooks:
    return ModelWebhooks(service)


class Seen:
    """The pane, and what it told."""

    def __init__(self, pane: WebhooksPane) -> None:
        self.pane = pane
        self.said: list[Message] = []
        pane.told.connect(self.said.append)

    def spoken(self) -> list[str]:
        return [
            str(self.pane.model.index(row).data(Qt.ItemDataRole.AccessibleTextRole))
            for row in range(self.pane.model.rowCount())
        ]

    def address_sheet(self) -> AddressSheet:
        return self.pane.findChildren(AddressSheet)[-1]

    async def chosen(self) -> None:
        await until(lambda: self.pane.chosen() is not None)

    async def logged(self, count: int) -> None:
        await until(lambda: self.pane.log.model.rowCount() == count)


@asynccontextmanager
async def seen(opened: Workspace) -> AsyncIterator[Seen]:
    async with shown(WebhooksPane(opened, LISBON), (1_072, 760)) as pane:
        yield Seen(pane)


def test_one_is_made_and_its_secret_shows_once(
    qapp: QApplication, tmp_path: Path, service: ModelService, model: ModelWebhooks
) -> None:
    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await until(now.pane.empty.isVisible)
            now.pane.empty.acted.emit()
            sheet = now.address_sheet()
            sheet.address.setText("http://hooks.example")
            press(sheet.go)
            await until(sheet.field.error)
            assert "https://" in sheet.field.error()
            sheet.address.setText("https://private.example/in")
            press(sheet.go)
            await until(lambda: "private address" in sheet.field.error())
            sheet.address.setText(URL)
            press(sheet.go)
            QTest.mouseClick(sheet, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
            assert sheet.isVisible()  # the answer has a secret that nobody tells again
            await until(lambda: now.pane.findChildren(SecretSheet))
            (secret,) = now.pane.findChildren(SecretSheet)
            assert secret.secret.text() == SECRET
            QTest.keyClick(secret, Qt.Key.Key_Escape)
            assert secret.isVisible()
            press(secret.copy)
            assert QGuiApplication.clipboard().text() == SECRET
            secret.verify.languages.set_value("go")
            press(secret.verify.copy)
            assert QGuiApplication.clipboard().text() == SNIPPETS["go"][1]
            press(secret.done)
            assert secret.secret.text() == ""
            assert model.webhooks[0]["events"] == ["post.published", "post.failed"]
            assert now.spoken() == ["hooks.example/in. Nothing sent yet. post.published, post.failed"]

    run(qapp, work)


def test_events_are_switched_at_once_and_the_last_one_stays(
    qapp: QApplication, tmp_path: Path, service: ModelService, model: ModelWebhooks
) -> None:
    model.add(URL, "post.published", "post.archived")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.chosen()
            boxes = now.pane.card.events.boxes
            boxes[EventType.POST_FAILED].click()
            wanted = ["post.published", "post.failed", "post.archived"]
            await until(lambda: model.webhooks[0]["events"] == wanted)
            service.faults = [("PATCH", "500")]
            boxes[EventType.POST_FAILED].click()
            await until(lambda: now.said)
            assert boxes[EventType.POST_FAILED].isChecked()
            for event in wanted:
                box = boxes[EventType(event)]
                await until(box.isChecked)
                box.click()
                await until(lambda: "archived" in str(model.webhooks[0]["events"]) or len(now.said) == 2)
            await until(lambda: len(now.said) == 2)
            assert "at least one event" in now.said[-1].text
            assert model.webhooks[0]["events"] == ["post.archived"]

    run(qapp, work)


def test_a_row_counts_the_events_that_have_no_room_and_says_when_it_was_disabled(
    qapp: QApplication, tmp_path: Path, service: ModelService, model: ModelWebhooks
) -> None:
    events = ["post.scheduled", "post.published", "connection.expired"]
    assert shown_events(events, 2_000) == events
    assert shown_events(events, 200) == ["post.scheduled", "+2"]
    assert shown_events(events, 20) == ["post.scheduled", "+2"]
    assert shown_events([], 200) == []
    off: dict[str, Any] = {"active": False, "failure_count": 10, "last_disabled_at": "2020-11-18T03:12:00Z"}
    model.add(URL, *events)
    model.add(URL, *events, **off)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.chosen()
            rows = [now.pane.list.visualRect(now.pane.model.index(row)).height() for row in range(2)]
            by_state = dict(zip((one.active for one in now.pane.model.webhooks), rows, strict=True))
            assert by_state[False] > by_state[True]

    run(qapp, work)


def test_a_disabled_one_is_enabled_again_and_its_address_changed(
    qapp: QApplication, tmp_path: Path, service: ModelService, model: ModelWebhooks
) -> None:
    off: dict[str, Any] = {"active": False, "failure_count": 10, "last_disabled_at": "2020-11-18T03:12:00Z"}
    model.deliver(model.add(URL, **off))

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.chosen()
            assert "Disabled after 10 failures, Wed 18 Nov 2020 03:12" in now.spoken()[0]
            await now.logged(1)
            now.pane.log.list.setCurrentIndex(now.pane.log.model.index(0))
            assert not now.pane.log.panel.replay.isEnabled()
            said: list[Message] = []
            now.pane.log.told.connect(said.append)
            QTest.keyClick(now.pane.log.list, Qt.Key.Key_R)
            assert [one.text for one in said] == ["The webhook is disabled. Enable it first."]
            press(now.pane.card.enable)
            await until(lambda: not now.pane.card.enable.isVisible())
            await until(now.pane.log.panel.replay.isEnabled)
            press(now.pane.card.edit)
            sheet = now.address_sheet()
            sheet.address.setText("https://other.example/in")
            QTest.keyClick(sheet.address, Qt.Key.Key_Return)
            await until(lambda: now.pane.card.url.text() == "https://other.example/in")

    run(qapp, work)


def test_a_test_shows_the_answer_of_the_endpoint(
    qapp: QApplication, tmp_path: Path, service: ModelService, model: ModelWebhooks
) -> None:
    model.add(URL)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.chosen()
            card = now.pane.card
            press(card.test)
            await until(lambda: card.outcome.text() == "200 in 84 ms")
            await now.logged(1)
            card.test_event.setCurrentIndex(card.test_event.findData("post.failed"))
            model.outcome = {"status_code": 500, "delivered_at": None, "error_message": "It broke."}
            press(card.test)
            await until(lambda: card.outcome.text() == "500 in 84 ms")
            assert now.said[-1].text == "Test not delivered. It broke."
            await now.logged(2)
            newest = now.pane.log.model.delivery(0)
            assert newest is not None
            assert newest.event_type == "post.failed"

    run(qapp, work)


def test_a_long_log_comes_page_by_page_is_narrowed_replayed_and_compared(
    qapp: QApplication, tmp_path: Path, service: ModelService, model: ModelWebhooks
) -> None:
    webhook = model.add(URL)
    service.page_max = 20
    for number in range(50):
        broken: dict[str, Any] = {"status_code": 503, "error_message": "503"} if number == 45 else {}
        model.deliver(webhook, ago=60 + number, **broken)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.chosen()
            log = now.pane.log
            await until(lambda: log.model.rowCount() >= 20)
            press(log.chips["failed"])
            await now.logged(1)  # it is looked for to the end
            assert "status 503" in str(log.model.index(0).data(Qt.ItemDataRole.AccessibleTextRole))
            press(log.chips["all"])
            await now.logged(50)
            log.list.setFocus()
            log.list.setCurrentIndex(log.model.index(0))
            await until(lambda: '"platform": "tiktok"' in log.panel.body.toPlainText())
            QTest.keyClick(log.list, Qt.Key.Key_R)
            await now.logged(51)
            assert "Replaying" in now.said[0].text
            await until(log.panel.compare.isVisible)
            press(log.panel.compare)
            (sheet,) = now.pane.findChildren(CompareSheet)
            await until(lambda: "+ " in sheet.difference.toPlainText())
            assert {fact.name for fact in sheet.facts if fact.differs} == {
                "Sent",
                "Attempt",
                "X-Service-Delivery",
            }

    run(qapp, work)


def test_deleting_warns_first(
    qapp: QApplication, tmp_path: Path, service: ModelService, model: ModelWebhooks
) -> None:
    model.add(URL)
    model.add("https://other.example")

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.chosen()
            now.pane.list.setFocus()
            QTest.keyClick(now.pane.list, Qt.Key.Key_Delete)
            (sheet,) = now.pane.findChildren(RemovalSheet)
            assert "its delivery log is deleted" in sheet.text.text()
            press(sheet.go)
            await until(lambda: now.pane.model.rowCount() == 1)
            # the list may change before anything is said
            await until(lambda: now.said)
            assert now.said[-1].text == "The webhook to hooks.example/in was deleted."
            assert [one["url"] for one in model.webhooks] == ["https://other.example"]

    run(qapp, work)


def test_without_the_service_all_is_shown_and_nothing_can_be_changed(
    qapp: QApplication, tmp_path: Path, service: ModelService, model: ModelWebhooks
) -> None:
    model.deliver(model.add(URL))

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.chosen()
            await now.logged(1)
            now.pane.log.list.setCurrentIndex(now.pane.log.model.index(0))
            service.online = False
            await until(lambda: not opened.sync.connected)
            await until(now.pane.strip.isVisible)
            assert now.pane.strip.text().startswith("Offline since ")
            card = now.pane.card
            for button in (card.test, card.edit, card.remove, now.pane.new_button, now.pane.log.panel.replay):
                assert not button.isEnabled()
            assert now.pane.log.model.rowCount() == 1
            service.online = True
            await until(now.pane.new_button.isEnabled)
            await until(lambda: not now.pane.strip.isVisible())

    run(qapp, work)


def test_a_rejected_key_is_named_and_not_taken_for_an_outage(
    qapp: QApplication, tmp_path: Path, service: ModelService, model: ModelWebhooks
) -> None:
    model.add(URL)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.chosen()
            strip = now.pane.strip
            service.online = False
            await until(lambda: strip.isVisible() and strip.text().startswith("Offline since "))
            assert strip.button.text() == "Try again"
            service.key_is_good, service.online = False, True  # away before and after, for another reason
            await until(lambda: strip.text().startswith("The service rejected the API key."))
            assert "Offline" not in strip.text()
            assert strip.button.text() == "Enter new key"
            assert not now.pane.new_button.isEnabled()
            service.key_is_good = True
            opened.check_service()
            await until(lambda: not strip.isVisible())
            assert now.pane.new_button.isEnabled()

    run(qapp, work)


@pytest.mark.parametrize("fault", ["500", "429", "garbage", "refuse"])
def test_a_service_that_fails_leaves_a_sentence_and_a_way_on(
    qapp: QApplication, tmp_path: Path, service: ModelService, model: ModelWebhooks, fault: str
) -> None:
    model.add(URL)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            service.faults = [("GET", fault)] * 500
            async with seen(opened) as now:
                await until(now.pane.failed.isVisible)
                assert now.pane.failed.text()
                service.faults.clear()
                now.pane.failed.acted.emit()
                await now.chosen()

    run(qapp, work)


def test_without_companion_and_with_what_a_newer_service_says_everything_shows(
    qapp: QApplication, tmp_path: Path, service: ModelService, model: ModelWebhooks
) -> None:
    service.offers, model.bare_list = (), True
    webhook = model.add(URL, "post.archived", surprise=1)
    odd: dict[str, Any] = {
        "status_code": None,
        "latency_ms": None,
        "error_message": None,
        "delivered_at": None,
        "attempt": 99,
    }
    model.deliver(webhook, "moon.full", **odd)

    async def work() -> None:
        async with workspace(tmp_path, service) as opened, seen(opened) as now:
            await now.chosen()
            assert "post.archived" in now.spoken()[0]
            await now.logged(1)
            row = str(now.pane.log.model.index(0).data(Qt.ItemDataRole.AccessibleTextRole))
            assert "moon.full, attempt 99, status none" in row
            now.pane.log.list.setCurrentIndex(now.pane.log.model.index(0))
            await until(now.pane.log.panel.note.isVisible)
            assert now.pane.log.panel.problem.text() == "No response."
            now.pane.grab()

    run(qapp, work)
