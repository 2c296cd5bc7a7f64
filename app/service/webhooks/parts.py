"""Putting the parts of webhooks together."""

from dataclasses import dataclass

from app.database import Database
from app.service.clock import Clock
from app.service.options import RunOptions
from app.service.outbound import OutboundClient
from app.service.store.seal import Seal
from app.service.webhooks.console import WebhookConsole
from app.service.webhooks.delivery_worker import DeliverySettings, DeliveryWorker
from app.service.webhooks.sender import MessageSender


@dataclass(frozen=True)
class WebhookParts:
    """What the routes use, and what delivers in the background."""

    console: WebhookConsole
    worker: DeliveryWorker


def make_webhooks(
    database: Database,
    seal: Seal,
    outbound: OutboundClient,
    clock: Clock,
    run: RunOptions,
) -> WebhookParts:
    """Everything over one outbound client."""
    sender = MessageSender(outbound, seal, clock)
    settings = DeliverySettings(run.webhook_backoff, stop_grace=run.stop_grace)
    worker = DeliveryWorker(database, sender, clock, settings, exclusive=run.alone)
    console = WebhookConsole(database, clock, seal, outbound, sender, worker.notify)
    return WebhookParts(console, worker)
