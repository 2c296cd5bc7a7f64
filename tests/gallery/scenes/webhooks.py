"""The pane of webhooks: full, new, with its sheets, disabled, away, and failed."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from app.contract.base import format_timestamp
from app.contract.enums import EventType
from app.desktop.webhooks import WebhooksPane
from app.desktop.webhooks.sheets import AddressSheet, SecretSheet
from app.language import tr
from tests.gallery.hands import click, the
from tests.gallery.samples import full_studio
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService
from tests.gallery.stage import Stage
from tests.gallery.troubles import refuse_key, take_time
from tests.workspace.model_webhooks import ModelWebhooks

SCREEN = Screen()
_HOUR = 3_600
_POSTS = ("post.scheduled", "post.published", "post.failed")


def hooked_studio() -> tuple[StudioService, ModelWebhooks]:
    """Four subscriptions: one well, one failing, one quiet, one disabled; and a log."""
    service = full_studio()
    service.offers = ("deliveries",)
    model = ModelWebhooks(service)
    good = model.add(
        "https://hooks.okafor.studio/kalends/posts",
        *_POSTS,
        "connection.expired",
        made=timedelta(days=79),
        last_delivery_at=_ago(hours=1),
    )
    failing: dict[str, Any] = {"failure_count": 3, "last_delivery_at": _ago(hours=2)}
    model.add("https://automate.okafor.studio/webhook/in/7f3e-newsletter", "post.published", **failing)
    quiet: dict[str, Any] = {"last_delivery_at": _ago(days=1)}
    model.add("https://relay.atelier-partners.example/hooks/stock-sync", *_POSTS[:2], **quiet)
    off: dict[str, Any] = {"active": False, "failure_count": 10, "last_disabled_at": _ago(days=3)}
    model.add("https://staging.okafor.studio/v2/kalends-inbound", "post.failed", "connection.expired", **off)
    model.deliver(good, "post.scheduled", ago=_HOUR, latency_ms=72)
    model.deliver(good, ago=15 * _HOUR, attempt=2, event_id="evt_01KAGX7M4TQ2", latency_ms=91)
    refused: dict[str, Any] = {"status_code": 503, "error_message": "The endpoint responded with 503."}
    model.deliver(good, ago=15 * _HOUR + 11, event_id="evt_01KAGX7M4TQ2", latency_ms=1_204, **refused)
    for number in range(24):
        model.deliver(
            good, _POSTS[number % 2], ago=(20 + 5 * number) * _HOUR, latency_ms=60 + number * 7 % 40
        )
    return service, model


def _ago(**parts: float) -> str:
    return format_timestamp(datetime.now(UTC) - timedelta(**parts))


@SCREEN.scene("webhooks", has_mockup=True)
async def full(stage: Stage) -> None:
    """A delivery that was tried twice is open, and a test was answered."""
    pane = await _opened(stage, hooked_studio()[0])
    click(pane.card.test)
    await stage.until(lambda: pane.card.outcome.text().startswith("200 in"))
    await stage.until(lambda: pane.log.model.rowCount() == 28)
    pane.log.list.setCurrentIndex(pane.log.model.index(2))
    await stage.until(pane.log.panel.body.toPlainText)


@SCREEN.scene("webhooks-disabled")
async def disabled(stage: Stage) -> None:
    """Nothing was ever delivered by it."""
    pane = await _opened(stage, hooked_studio()[0])
    pane.list.setCurrentIndex(pane.model.index(3))
    await stage.until(pane.card.enable.isVisible)
    await stage.until(pane.log.empty.isVisible)


@SCREEN.scene("webhooks-test-failed")
async def tested_in_vain(stage: Stage) -> None:
    service, model = hooked_studio()
    model.outcome = {
        "status_code": None,
        "delivered_at": None,
        "error_message": "No answer within 10 seconds.",
    }
    pane = await _opened(stage, service)
    click(pane.card.test)
    await stage.until(lambda: pane.card.outcome.text() == tr("No response"))


@SCREEN.scene("webhooks-new")
async def new(stage: Stage) -> None:
    """The service refuses an address."""
    pane = await _opened(stage, hooked_studio()[0])
    click(pane.new_button)
    sheet = the(AddressSheet, stage.window or pane)
    sheet.address.setText("https://private.okafor.studio/hooks")
    click(sheet.go)
    await stage.until(sheet.field.error)


@SCREEN.scene("webhooks-secret")
async def secret(stage: Stage) -> None:
    """The only time at which the secret shows."""
    pane = await _opened(stage, hooked_studio()[0])
    click(pane.new_button)
    sheet = the(AddressSheet, stage.window or pane)
    sheet.address.setText("https://hooks.okafor.studio/kalends/new")
    click(sheet.go)
    await stage.until(lambda: pane.window().findChildren(SecretSheet))
    the(SecretSheet, stage.window or pane).verify.languages.set_value("node")


@SCREEN.scene("webhooks-compare")
async def compare(stage: Stage) -> None:
    pane = await _opened(stage, hooked_studio()[0])
    await stage.until(lambda: pane.log.model.rowCount() == 27)
    pane.log.list.setCurrentIndex(pane.log.model.index(1))
    await stage.until(pane.log.panel.body.toPlainText)
    sheet = pane.log.compare()
    await stage.until(lambda: sheet is not None and sheet.difference.toPlainText())


@SCREEN.scene("webhooks-delete")
async def delete(stage: Stage) -> None:
    pane = await _opened(stage, hooked_studio()[0])
    click(pane.card.remove)


@SCREEN.scene("webhooks-plain")
async def plain(stage: Stage) -> None:
    """A service without the companion interface does not tell what was sent."""
    service, _model = hooked_studio()
    service.offers = ()
    pane = await _opened(stage, service)
    await stage.until(lambda: pane.log.model.rowCount() == 27)
    pane.log.list.setCurrentIndex(pane.log.model.index(2))
    await stage.until(pane.log.panel.note.isVisible)


@SCREEN.scene("webhooks-empty")
async def empty(stage: Stage) -> None:
    service = full_studio()
    ModelWebhooks(service)
    controller = await stage.controller(service)
    controller.window.go("webhooks")
    await stage.until(controller.webhooks.empty.isVisible)


@SCREEN.scene("webhooks-offline")
async def offline(stage: Stage) -> None:
    """All can be looked at, and nothing changed."""
    service, _model = hooked_studio()
    pane = await _opened(stage, service)
    await stage.until(lambda: pane.log.model.rowCount() == 27)
    service.online = False
    pane._workspace.set_active(active=True)
    await stage.until(lambda: not pane._workspace.sync.connected)
    await stage.until(pane.strip.isVisible)


@SCREEN.scene("webhooks-dead-key")
async def dead_key(stage: Stage) -> None:
    """The service no longer takes the key; what was known still shows."""
    service, _model = hooked_studio()
    pane = await _opened(stage, service)
    await stage.until(lambda: pane.log.model.rowCount() == 27)
    await refuse_key(stage, service, pane.strip, partial(click, pane.refresh_button))


@SCREEN.scene("webhooks-read-only")
async def read_only(stage: Stage) -> None:
    """The key may only read: a change is refused, and what shows is what the service has."""
    service, _model = hooked_studio()
    pane = await _opened(stage, service)
    await stage.until(lambda: pane.log.model.rowCount() == 27)
    service.forbidden = {"POST", "PATCH", "DELETE"}
    click(pane.card.events.boxes[EventType.CONNECTION_CONNECTED])
    await stage.until(lambda: stage.window is not None and stage.window.messages.texts())


@SCREEN.scene("webhooks-loading")
async def loading(stage: Stage) -> None:
    """The service takes its time, and nothing is known yet."""
    service, _model = hooked_studio()
    await take_time(stage, service, "webhooks")


@SCREEN.scene("webhooks-failed")
async def failed(stage: Stage) -> None:
    """A service without webhooks."""
    controller = await stage.controller(full_studio())
    controller.window.go("webhooks")
    await stage.until(controller.webhooks.failed.isVisible)


async def _opened(stage: Stage, service: StudioService) -> WebhooksPane:
    controller = await stage.controller(service)
    controller.window.go("webhooks")
    await stage.until(lambda: controller.webhooks.chosen() is not None)
    return controller.webhooks
