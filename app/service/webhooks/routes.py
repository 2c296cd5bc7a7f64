"""``/webhooks``."""

from typing import Annotated, Final
from uuid import UUID

from sqlalchemy import bindparam
from starlette.responses import Response

from app.contract.enums import Action
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
    WebhookTestResult,
)
from app.service.accounts.accounts import Principal
from app.service.api.context import ServiceDep, calling
from app.service.api.listing import Listing
from app.service.api.requests import JsonBody, PathId, Query
from app.service.api.responses import answer
from app.service.api.routing import Depends, Router
from app.service.store.tables import deliveries
from app.service.webhooks import queue, subscriptions

router = Router(prefix="/webhooks", tag="webhooks")

SubscriptionId = Annotated[UUID, Depends(PathId("subscription_id", "webhook"))]
DeliveryId = Annotated[UUID, Depends(PathId("delivery_id", "delivery"))]

DELIVERIES: Final = Listing(
    deliveries,
    [deliveries.c[name] for name in WebhookDelivery.model_fields],
    where=(
        deliveries.c.subscription_id == bindparam("subscription_id"),
        deliveries.c.next_attempt_at.is_(None),  # pending deliveries aren't attempts yet
    ),
)
"""The attempts of a subscription. The caller has checked that it belongs to the account."""


@router.post("", response_model=CreatedWebhookSubscription, status_code=201)
async def create_webhook(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.WEBHOOKS_CREATE))],
    body: Annotated[CreateWebhook, Depends(JsonBody(CreateWebhook))],
) -> Response:
    """Subscribe an HTTPS endpoint to events.

    Only this response contains the secret. Duplicate event types count once.
    """
    console = service.webhooks
    await console.check(body.url)
    now = service.clock()
    return answer(
        await service.write(
            principal.caller,
            lambda rows: subscriptions.add(
                rows, console.seal, principal.account_id, body.url, body.events, now
            ),
        ),
        201,
    )


@router.get("", response_model=Page[WebhookSubscription])
async def list_webhooks(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.WEBHOOKS_LIST))],
) -> Response:
    """List all webhooks, newest first.

    The list isn't paginated: next_cursor is always null.
    """
    return answer(
        await service.database.read(lambda rows: subscriptions.find_all(rows, principal.account_id))
    )


@router.get("/{subscription_id}", response_model=WebhookSubscription)
async def get_webhook(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.WEBHOOKS_GET))],
    subscription_id: SubscriptionId,
) -> Response:
    """Get a webhook, without its secret."""
    return answer(
        await service.database.read(
            lambda rows: subscriptions.find(rows, principal.account_id, subscription_id)
        )
    )


@router.patch("/{subscription_id}", response_model=WebhookSubscription)
async def update_webhook(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.WEBHOOKS_UPDATE))],
    subscription_id: SubscriptionId,
    body: Annotated[UpdateWebhook, Depends(JsonBody(UpdateWebhook))],
) -> Response:
    """Change a webhook's URL or events, or enable or disable it.

    Enabling resets its failures. Disabling drops its pending deliveries; the log lists them, and you can
    replay them.
    """
    if body.url is not None:
        await service.webhooks.check(body.url)
    now = service.clock()
    return answer(
        await service.write(
            principal.caller,
            lambda rows: subscriptions.change(rows, principal.account_id, subscription_id, body, now),
        )
    )


@router.delete("/{subscription_id}", response_model=WebhookDeleteResult)
async def delete_webhook(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.WEBHOOKS_DELETE))],
    subscription_id: SubscriptionId,
) -> Response:
    """Permanently delete a webhook and its delivery log."""
    return answer(
        await service.write(
            principal.caller, lambda rows: subscriptions.remove(rows, principal.account_id, subscription_id)
        )
    )


@router.post("/{subscription_id}/test", response_model=WebhookTestResult)
async def test_webhook(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.WEBHOOKS_TEST))],
    subscription_id: SubscriptionId,
    body: Annotated[TestWebhook, Depends(JsonBody(TestWebhook, required=False))],
) -> Response:
    """Send a sample now and return the endpoint's response.

    The attempt is logged. It isn't retried and doesn't count as a failure. This also works for a disabled
    webhook.
    """
    await service.confirm(principal.caller)
    return answer(await service.webhooks.test(principal.account_id, subscription_id, body.event_type))


@router.get("/{subscription_id}/deliveries", response_model=Page[WebhookDelivery])
async def list_deliveries(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.WEBHOOKS_DELIVERIES))],
    subscription_id: SubscriptionId,
    query: Annotated[PageQuery, Depends(Query(PageQuery))],
) -> Response:
    """List a webhook's delivery attempts, newest first.

    There is one record per attempt. Records are kept for 30 days.
    """
    await service.database.read(lambda rows: subscriptions.find(rows, principal.account_id, subscription_id))
    return await DELIVERIES.answer(service, principal.account_id, query, subscription_id=subscription_id)


@router.post("/{subscription_id}/deliveries/{delivery_id}/replay", response_model=WebhookReplayResult)
async def replay_delivery(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.WEBHOOKS_REPLAY))],
    subscription_id: SubscriptionId,
    delivery_id: DeliveryId,
) -> Response:
    """Deliver a past event again.

    The event keeps its ID; the new delivery gets its own. Returns 403 if the webhook is disabled.
    """
    now = service.clock()
    replayed = await service.write(
        principal.caller,
        lambda rows: queue.replay(rows, principal.account_id, subscription_id, delivery_id, now),
    )
    service.webhooks.notify()
    return answer(replayed)
