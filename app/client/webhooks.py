"""Calls for webhooks: subscriptions, tests, and the delivery log."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar
from uuid import UUID

from pydantic import BaseModel

from app.client.answers import read
from app.client.bodies import Answer
from app.client.errors import RetryPolicy
from app.client.wire import Wire
from app.contract.enums import EventType
from app.contract.limits import API_PREFIX, PAGE_LIMIT_MAX
from app.contract.pagination import Page, PageQuery
from app.contract.webhooks import (
    CreatedWebhookSubscription,
    CreateWebhook,
    TestWebhook,
    UpdateWebhook,
    WebhookDeleteResult,
    WebhookDelivery,
    WebhookReplayResult,
    WebhookSubscription,
    WebhookSubscriptionList,
    WebhookTestResult,
)

Model = TypeVar("Model", bound=BaseModel)

_WEBHOOKS = f"{API_PREFIX}/webhooks"


class WebhookCalls:
    """``ServiceClient.webhooks``. A failed call always raises ClientError."""

    def __init__(self, wire: Wire, retries: RetryPolicy) -> None:
        self._wire = wire
        self._retries = retries

    async def subscriptions(self) -> Sequence[WebhookSubscription]:
        """Return all subscriptions of the account, newest first."""
        return (await self._safely(lambda: self._wire.call("GET", _WEBHOOKS), WebhookSubscriptionList)).data

    async def create(self, new: CreateWebhook) -> CreatedWebhookSubscription:
        """Create a subscription.

        Never retried: each call creates another one, and only this response has the secret.
        """
        body = new.model_dump_json()
        return await read(await self._wire.call("POST", _WEBHOOKS, body=body), CreatedWebhookSubscription)

    async def change(
        self,
        subscription_id: UUID,
        *,
        url: str | None = None,
        events: Sequence[EventType] | None = None,
        active: bool | None = None,
    ) -> WebhookSubscription:
        """Update the given fields. Event types of a newer service are sent back unchanged."""
        wanted = list(events) if events is not None else None
        change = UpdateWebhook.model_construct(url=url, events=wanted, active=active)
        body, path = change.model_dump_json(exclude_none=True), f"{_WEBHOOKS}/{subscription_id}"
        return await self._safely(lambda: self._wire.call("PATCH", path, body=body), WebhookSubscription)

    async def delete(self, subscription_id: UUID) -> WebhookDeleteResult:
        """Permanently delete a subscription and its log."""
        path = f"{_WEBHOOKS}/{subscription_id}"
        done = WebhookDeleteResult(id=subscription_id, deleted=True)
        return await self._safely(lambda: self._wire.call("DELETE", path), WebhookDeleteResult, unsaid=done)

    async def test(self, subscription_id: UUID, event_type: EventType | None = None) -> WebhookTestResult:
        """Send a test delivery, which takes up to ten seconds. Never retried."""
        body = TestWebhook(event_type=event_type).model_dump_json() if event_type is not None else None
        return await read(
            await self._wire.call("POST", f"{_WEBHOOKS}/{subscription_id}/test", body=body),
            WebhookTestResult,
        )

    async def deliveries(self, subscription_id: UUID, cursor: str | None = None) -> Page[WebhookDelivery]:
        """Return a page of the log, newest first, optionally after a cursor."""
        query = PageQuery(limit=PAGE_LIMIT_MAX).model_dump(exclude_none=True)
        query |= {"cursor": cursor} if cursor else {}
        path = f"{_WEBHOOKS}/{subscription_id}/deliveries"
        return await self._safely(lambda: self._wire.call("GET", path, query=query), Page[WebhookDelivery])

    async def replay(self, subscription_id: UUID, delivery_id: UUID) -> WebhookReplayResult:
        """Deliver a past event again. Never retried: each call delivers it once more."""
        path = f"{_WEBHOOKS}/{subscription_id}/deliveries/{delivery_id}/replay"
        return await read(await self._wire.call("POST", path), WebhookReplayResult)

    async def _safely(
        self, call: Callable[[], Awaitable[Answer]], model: type[Model], *, unsaid: Model | None = None
    ) -> Model:
        async def call_and_read() -> Model:
            return await read(await call(), model, unsaid=unsaid)

        return await self._retries.run(call_and_read)
