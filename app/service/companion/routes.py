"""The routes under ``/companion/v1``: capabilities, quotas, deliveries, events, and other routers."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Final
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import Connection, select
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.contract.changes import ChangeKind, Reset
from app.contract.companion import CompanionRoot, DeliveryDetails, Quota, QuotaList
from app.contract.enums import Action
from app.service.accounts.accounts import Principal
from app.service.api.context import PrincipalDep, ServiceDep
from app.service.api.requests import PathId
from app.service.api.responses import answer, not_found
from app.service.api.routing import Depends, Router
from app.service.companion.by_hand import router as by_hand
from app.service.companion.change_log import Change, Position
from app.service.companion.connections import router as connections
from app.service.companion.connections import tiktok_router as tiktok
from app.service.companion.feed import ChangeFeed
from app.service.companion.keys import router as keys
from app.service.companion.media import router as media
from app.service.companion.moving import router as moving
from app.service.companion.packs import router as packs
from app.service.companion.places import router as places
from app.service.companion.platforms import router as platforms
from app.service.companion.posts import router as posts
from app.service.limits import WINDOW_S, RateLimiter
from app.service.store.tables import deliveries, webhook_subscriptions

root_router = Router(tag="companion")

OFFERS: Final = (
    "attempts",
    "by_hand",
    "complete",
    "deliveries",
    "events",
    "finishing",
    "handles",
    "inbox",
    "keys",
    "media",
    "moving",
    "outcomes",
    "packs",
    "places",
    "platforms",
    "posts",
    "quotas",
    "reconnect",
    "servers",
    "tiktok",
)
"""The capabilities, by which the app knows what the service supports."""

quotas_router = Router(tag="usage")
deliveries_router = Router(tag="webhooks")
events_router = Router(tag="events")

ROUTERS: Final = (
    root_router,
    posts,
    by_hand,
    connections,
    deliveries_router,
    events_router,
    keys,
    media,
    moving,
    packs,
    places,
    platforms,
    quotas_router,
    tiktok,
)
"""Add new routers here, and their capability to ``OFFERS``."""


@root_router.get("", response_model=CompanionRoot)
async def get_root(service: ServiceDep, _principal: PrincipalDep) -> Response:
    """Get the service's capabilities beyond the specification."""
    return answer(
        CompanionRoot(
            version="1",
            offers=list(OFFERS),
            practice=service.practice,
            clock_ahead_seconds=service.clock_ahead_seconds(),
        )
    )


@quotas_router.get("/quotas", response_model=QuotaList)
async def get_quotas(service: ServiceDep, principal: PrincipalDep) -> Response:
    """Get the calling key's rate limit and remaining calls for each action. This call isn't counted."""
    return answer(QuotaList(data=[_quota(service.limiter, principal, action) for action in Action]))


def _quota(limiter: RateLimiter | None, principal: Principal, action: Action) -> Quota:
    window = int(WINDOW_S)
    if limiter is None:
        return Quota(action=action, limit=None, remaining=None, window_seconds=window, full_in_seconds=0)
    level = limiter.level(principal.key_id, principal.plan, action)
    return Quota(
        action=action,
        limit=limiter.limit(principal.plan, action),
        remaining=level.tokens,
        window_seconds=window,
        full_in_seconds=round(level.full_in, 3),
    )


@deliveries_router.get("/deliveries/{delivery_id}", response_model=DeliveryDetails)
async def get_delivery(
    service: ServiceDep,
    principal: PrincipalDep,
    delivery_id: Annotated[UUID, Depends(PathId("delivery_id", "delivery"))],
) -> Response:
    """Get the headers and body of a webhook delivery, and the status of the response."""
    return answer(
        await service.database.read(lambda rows: _find_delivery(rows, principal.account_id, delivery_id))
    )


def _find_delivery(rows: Connection, account_id: UUID, delivery_id: UUID) -> DeliveryDetails:
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


_HEADERS: Final = {"X-Accel-Buffering": "no"}
"""Makes a proxy forward each event immediately."""
_SILENCE: Final = b": nothing new\n\n"


@events_router.get(
    "/events",
    response_model=None,
    status_code=200,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
    headers={"Last-Event-ID": "ID of the last received event."},
)
async def stream_events(request: Request, service: ServiceDep, principal: PrincipalDep) -> Response:
    """Stream changes as server-sent events, which can be resumed with `Last-Event-ID`.

    The event `reset` tells the client to reload everything from the lists. It comes first unless the stream
    is resumed, and replaces events older than a day. The stream ends when its key does.
    """
    service.feed.require_room(principal)
    frames = _frames(service.feed, principal, _last_seen(request))
    return StreamingResponse(frames, headers=_HEADERS, media_type="text/event-stream")


def _last_seen(request: Request) -> Position | None:
    """Return the position of the client's last event; None if there is none, or its ID is invalid."""
    return Position.parse(request.headers.get("last-event-id", ""))


async def _frames(feed: ChangeFeed, principal: Principal, after: Position | None) -> AsyncIterator[bytes]:
    yield _SILENCE  # so that the client immediately sees that it is connected
    async with aclosing(feed.follow(principal, after)) as events:
        async for event in events:
            yield _frame(event)


def _frame(event: Change | Position | None) -> bytes:
    if event is None:
        return _SILENCE
    if isinstance(event, Position):
        return _written(event, ChangeKind.RESET, Reset())
    return _written(event.position, event.kind, event.data)


def _written(position: Position, kind: ChangeKind, data: BaseModel) -> bytes:
    """Format an event. JSON is one line, without line breaks."""
    return f"id: {position}\nevent: {kind.value}\ndata: {data.model_dump_json()}\n\n".encode()
