"""A webhook is made, tested, changed, had a delivery made again, and deleted: each is done, or a sentence."""

from app.contract.enums import EventType
from app.desktop.webhooks import WebhooksPane
from app.desktop.webhooks.sheets import AddressSheet, RemovalSheet, SecretSheet
from tests.hostile.visitor import Visitor, is_loading

_ADDRESS = "https://receiver.example/new"


async def try_webhooks(visitor: Visitor) -> None:
    """Whatever of it the service lets one do."""
    pane = visitor.controller.webhooks
    visitor.controller.window.go("webhooks")
    await visitor.until(lambda: not is_loading(pane), "no webhooks show")
    await _make(visitor, pane)
    if pane.chosen() is None:
        return
    await _test(visitor, pane)
    await _change(visitor, pane)
    await _replay(visitor, pane)
    await _remove(visitor, pane)


async def _make(visitor: Visitor, pane: WebhooksPane) -> None:
    pane.ask_for_new()
    sheet = visitor.sheet(AddressSheet)
    sheet.address.setText(_ADDRESS)
    sheet.go.click()
    await visitor.until(lambda: _secret(pane) or sheet.go.isEnabled(), "no webhook is made")
    if (secret := _secret(pane)) is not None:
        visitor.judge(secret, "the secret")
        secret.dismiss()
        return
    await visitor.until(
        lambda: sheet.strip.isVisible() or sheet.field.error(),
        "nothing is said of a webhook that is not made",
    )
    visitor.judge(sheet, "the sheet of a new webhook")
    sheet.dismiss()


async def _test(visitor: Visitor, pane: WebhooksPane) -> None:
    if not pane.card.test.isEnabled():
        return
    heard = visitor.hear(pane.told)
    pane.card.test.click()
    await visitor.until(pane.card.test.isEnabled, "a test does not end")
    await visitor.until(lambda: heard or pane.card.outcome.text(), "nothing is said of a test")
    visitor.judge(pane, "webhooks")


async def _change(visitor: Visitor, pane: WebhooksPane) -> None:
    webhook = pane.chosen()
    assert webhook is not None
    change = visitor.workspace.webhooks.change
    await visitor.try_out(change(webhook.id, events=[EventType.POST_FAILED], active=True))


async def _replay(visitor: Visitor, pane: WebhooksPane) -> None:
    """Of the last subscription, which was there before."""
    pane.list.setCurrentIndex(pane.model.index(pane.model.rowCount() - 1))
    log = pane.log
    await visitor.until(lambda: not is_loading(log), "no deliveries show")
    if log.model.rowCount() == 0:
        return
    log.list.setCurrentIndex(log.model.index(0))
    await visitor.until(log.panel.isVisible, "a delivery does not show")
    visitor.judge(log, "the log of deliveries")
    if log.panel.replay.isEnabled():
        heard = visitor.hear(pane.told)
        log.panel.replay.click()
        await visitor.until(lambda: heard, "nothing is said of a delivery made again")


async def _remove(visitor: Visitor, pane: WebhooksPane) -> None:
    if not pane.card.remove.isEnabled():
        return
    heard = visitor.hear(pane.told)
    pane.card.remove.click()
    visitor.sheet(RemovalSheet).go.click()
    await visitor.until(lambda: heard, "nothing is said of a webhook that is deleted")


def _secret(pane: WebhooksPane) -> SecretSheet | None:
    return next((one for one in pane.window().findChildren(SecretSheet) if one.isVisible()), None)
