"""``GET /companion/v1/deliveries/{id}``: the request sent to an endpoint, for debugging."""

from typing import Annotated
from uuid import UUID

from sqlalchemy import Connection, select
from starlette.responses import Response

from app.contract.companion import DeliveryDetails
from app.service.api.context import ServiceDep
from app.service.api.principal import PrincipalDep
from app.service.api.requests import PathId
from app.service.api.responses import answer, not_found
from app.service.api.routing import Depends, Router
from app.service.store.tables import deliveries, webhook_subscriptions

router = Router(tag="webhooks")


@router.get("/deliveries/{delivery_id}", response_model=DeliveryDetails)
async def get_delivery(
    service: ServiceDep,
    principal: PrincipalDep,
    delivery_id: Annotated[UUID, Depends(PathId("delivery_id", "delivery"))],
) -> Response:
    """Get the headers and body of a webhook delivery, and the status of the response."""
    return answer(await service.database.read(lambda rows: _find(rows, principal.account_id, delivery_id)))


def _find(rows: Connection, account_id: UUID, delivery_id: UUID) -> DeliveryDetails:
    """Return a delivery. Raises ApiError (404), also while it is pending."""
    found = (
        rows.execute(
            select(deliveries, webhook_subscriptions.c.url)
            .join(webhook_subscriptions, webhook_subscriptions.c.id == deliveries.c.subscription_id)
            .where(
                deliveries.c.id == delivery_id,
                deliveries.c.next_attempt_at.is_(None),
                webhook_subscriptions.c.account_id == account_id,
            )
        )
        .mappings()
        .one_or_none()
    )
    if found is None:
        raise not_found("delivery")
    sent = found["request_body"]
    body = None if sent is None else sent.decode(errors="replace")
    return DeliveryDetails.model_validate({**found, "request_body": body})
