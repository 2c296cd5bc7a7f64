"""Putting the parts of webhooks together."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from app.database import Database
from app.service.clock import Clock
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
    *,
    backoff: Sequence[float],
    stop_grace: timedelta,
) -> WebhookParts:
    """``backoff``: seconds before each retry; ``stop_grace``: how long an end waits for deliveries."""
    courier = Courier(outbound, seal, clock)
    worker = WebhookWorker(database, courier, clock, DeliverySettings(backoff, stop_grace=stop_grace))
    desk = WebhookDesk(database, clock, seal, outbound, courier, worker.notify)
    return WebhookParts(desk, worker)
