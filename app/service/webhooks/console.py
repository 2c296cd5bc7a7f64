"""Actions of the webhook endpoints besides storing rows: URL checks and test deliveries."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import Connection, insert, select, update

from app.contract.enums import ConnectionPlatform, EventType, PostingPlatform
from app.contract.webhooks import (
    TEST_EVENT,
    ConnectionEventData,
    PostEventData,
    PostFailedData,
    PostPublishedData,
    WebhookTestResult,
)
from app.database import Database
from app.service.api.responses import invalid, not_found
from app.service.clock import Clock
from app.service.outbound import AddressRefusedError, OutboundClient, PrivateTargetError
from app.service.store.seal import Seal
from app.service.store.tables import deliveries, events, webhook_subscriptions
from app.service.webhooks.events import delivery_row, event_row
from app.service.webhooks.queue import result_columns
from app.service.webhooks.sender import Due, MessageSender, Sent


@dataclass(frozen=True)
class WebhookConsole:
    """Checks webhook URLs and sends test deliveries.

    Attributes:
        database: The database with the subscriptions.
        clock: Wall time.
        seal: Encrypts the secrets of new subscriptions.
        outbound: Checks URLs.
        sender: Sends test deliveries.
        notify: Wakes the worker because a delivery is due.
    """

    database: Database
    clock: Clock
    seal: Seal
    outbound: OutboundClient
    sender: MessageSender
    notify: Callable[[], None]

    async def check(self, url: str) -> None:
        """Check that a URL is HTTPS and not in a private network. Raises ApiError (400)."""
        try:
            await self.outbound.check_url(url)
        except PrivateTargetError as error:
            raise invalid("url", f"cannot be used. {error}", "private_address") from None
        except AddressRefusedError as error:
            raise invalid("url", f"cannot be used. {error}", "url_refused") from None

    async def test(
        self, account_id: UUID, subscription_id: UUID, event_type: EventType | None
    ) -> WebhookTestResult:
        """Deliver a sample now, once, and log it, without affecting the webhook's failure count.

        Raises ApiError (404) if the account has no such subscription.
        """
        now = self.clock()
        event = event_row(account_id, event_type or TEST_EVENT, sample(event_type, now), now)
        delivery = delivery_row(subscription_id, event["id"], event["type"], now)
        target = await self.database.read(lambda rows: _target(rows, account_id, subscription_id))
        sent = await self.sender.deliver(_due(event, delivery, *target))
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
    """Log the test, unless the subscription was deleted meanwhile."""
    reached = rows.execute(
        update(webhook_subscriptions)
        .where(webhook_subscriptions.c.id == delivery["subscription_id"])
        .values(last_delivery_at=sent.began_at)
    )
    if reached.rowcount:
        rows.execute(insert(events).values(event))
        rows.execute(insert(deliveries).values(delivery | result_columns(sent)))


_NOTHING: Final = UUID(int=0)
"""An id that no object has, so that samples can't be confused with real events."""


class TestData(BaseModel):
    """``data`` of ``webhook.test``."""

    __test__ = False  # pytest must not collect it
    message: str = "This is a test. Nothing happened."


def sample(event_type: EventType | None, now: datetime) -> BaseModel:
    """Return sample data for an event type; for ``webhook.test`` if it is None."""
    return _SAMPLES[event_type](now) if event_type else TestData()


def _post() -> dict[str, Any]:
    return {
        "post_id": _NOTHING,
        "platform": PostingPlatform.LINKEDIN,
        "social_account_id": _NOTHING,
        "batch_id": None,
    }


def _scheduled(_now: datetime) -> PostEventData:
    return PostEventData(**_post())


def _published(now: datetime) -> PostPublishedData:
    return PostPublishedData(**_post(), content_id="urn:li:share:0", posted_at=now)


def _failed(_now: datetime) -> PostFailedData:
    return PostFailedData(**_post(), reason="This is a test. Nothing failed.")


def _connection(_now: datetime) -> ConnectionEventData:
    return ConnectionEventData(
        connection_id=_NOTHING,
        platform=ConnectionPlatform.LINKEDIN,
        username="test",
        display_name="Test",
    )


_SAMPLES: Final[Mapping[EventType, Callable[[datetime], BaseModel]]] = MappingProxyType(
    {
        EventType.POST_SCHEDULED: _scheduled,
        EventType.POST_PUBLISHED: _published,
        EventType.POST_FAILED: _failed,
        EventType.CONNECTION_CONNECTED: _connection,
        EventType.CONNECTION_EXPIRED: _connection,
    }
)
