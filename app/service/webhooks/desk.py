"""What the webhook endpoints do beyond reading and writing rows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, insert, select, update

from app.contract.enums import EventType
from app.contract.webhooks import TEST_EVENT, WebhookTestResult
from app.database import Database
from app.service.api.errors import invalid, not_found
from app.service.clock import Clock
from app.service.outbound import AddressRefusedError, OutboundClient, PrivateTargetError
from app.service.store.seal import Seal
from app.service.store.tables import deliveries, events, webhook_subscriptions
from app.service.webhooks.courier import Courier
from app.service.webhooks.events import delivery_row, event_row
from app.service.webhooks.letters import Due
from app.service.webhooks.log import result_columns
from app.service.webhooks.outcome import Sent
from app.service.webhooks.samples import sample


@dataclass(frozen=True)
class WebhookDesk:
    """The parts that the endpoints need.

    Attributes:
        seal: Closes the secrets of new subscriptions.
        notify: Tells the worker that something is due.
    """

    database: Database
    clock: Clock
    seal: Seal
    outbound: OutboundClient
    courier: Courier
    notify: Callable[[], None]

    async def check(self, url: str) -> None:
        """Raises ApiError (400) for an address that is not HTTPS, or that must not be reached."""
        try:
            await self.outbound.check_url(url)
        except PrivateTargetError as error:
            raise invalid("url", f"cannot be used. {error}", "private_address") from None
        except AddressRefusedError as error:
            raise invalid("url", f"cannot be used. {error}", "url_refused") from None

    async def test(
        self, account_id: UUID, subscription_id: UUID, event_type: EventType | None
    ) -> WebhookTestResult:
        """Delivers a sample now, once, and records it. It does not count as a failure, nor as a success.

        Raises ApiError (404) when the account has no such subscription.
        """
        now = self.clock()
        event = event_row(account_id, event_type or TEST_EVENT, sample(event_type, now), now)
        delivery = delivery_row(subscription_id, event["id"], event["type"], now)
        target = await self.database.read(lambda rows: _target(rows, account_id, subscription_id))
        sent = await self.courier.deliver(_due(event, delivery, *target))
        await self.database.write(lambda rows: _record(rows, event, delivery, sent))
        return WebhookTestResult(
            delivery_id=delivery["id"],
            subscription_id=subscription_id,
            status_code=sent.verdict.status_code,
            latency_ms=sent.latency_ms,
            delivered_at=sent.ended_at if sent.verdict.delivered else None,
            error_message=sent.verdict.problem,
        )


def _target(rows: Connection, account_id: UUID, subscription_id: UUID) -> tuple[str, bytes]:
    found = rows.execute(
        select(webhook_subscriptions.c.url, webhook_subscriptions.c.secret).where(
            webhook_subscriptions.c.id == subscription_id, webhook_subscriptions.c.account_id == account_id
        )
    ).one_or_none()
    if found is None:
        raise not_found("webhook")
    return found.url, found.secret


def _due(event: dict[str, Any], delivery: dict[str, Any], url: str, secret: bytes) -> Due:
    return Due(
        id=delivery["id"],
        subscription_id=delivery["subscription_id"],
        event_id=event["id"],
        event_type=event["type"],
        retry=delivery["retry"],
        data=event["data"],
        event_created_at=event["created_at"],
        url=url,
        secret=secret,
    )


def _record(rows: Connection, event: dict[str, Any], delivery: dict[str, Any], sent: Sent) -> None:
    """Writes the test down, unless the subscription was deleted meanwhile."""
    reached = rows.execute(
        update(webhook_subscriptions)
        .where(webhook_subscriptions.c.id == delivery["subscription_id"])
        .values(last_delivery_at=sent.began_at)
    )
    if reached.rowcount:
        rows.execute(insert(events).values(event))
        rows.execute(insert(deliveries).values(delivery | result_columns(sent)))
