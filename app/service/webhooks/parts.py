"""Putting the parts of webhooks together."""

from dataclasses import dataclass

from app.database import Database
from app.service.clock import Clock
from app.service.options import RunOptions
from app.service.outbound import OutboundClient
from app.service.store.seal import Seal
from app.service.webhooks.courier import Courier
from app.service.webhooks.desk import WebhookDesk
from app.service.webhooks.worker import DeliverySettings, WebhookWorker


@dataclass(frozen=True)
class WebhookParts:
    """What the routes use, and what delivers in the background."""

    desk: WebhookDesk
    worker: WebhookWorker


def make_webhooks(
    database: Database,
    seal: Seal,
    outbound: OutboundClient,
    clock: Clock,
    run: RunOptions,
) -> WebhookParts:
    """Everything over one outbound client."""
    courier = Courier(outbound, seal, clock)
    settings = DeliverySettings(run.webhook_backoff, stop_grace=run.stop_grace)
    worker = WebhookWorker(database, courier, clock, settings, exclusive=run.alone)
    desk = WebhookDesk(database, clock, seal, outbound, courier, worker.notify)
    return WebhookParts(desk, worker)
