"""The routes under ``/companion/v1``: capabilities, quotas, and the routers of the other modules."""

from typing import Final

from starlette.responses import Response

from app.contract.companion import CompanionRoot, Quota, QuotaList
from app.contract.enums import Action
from app.service.accounts.accounts import Principal
from app.service.api.context import ServiceDep
from app.service.api.principal import PrincipalDep
from app.service.api.responses import answer
from app.service.api.routing import Router
from app.service.companion.connections import router as connections
from app.service.companion.deliveries import router as deliveries
from app.service.companion.events import router as events
from app.service.companion.keys import router as keys
from app.service.companion.media import router as media
from app.service.companion.places import router as places
from app.service.companion.platforms import router as platforms
from app.service.companion.posts import router as posts
from app.service.companion.tiktok import router as tiktok
from app.service.limits import WINDOW_S, RateLimiter

root_router = Router(tag="companion")

OFFERS: Final = (
    "attempts",
    "complete",
    "deliveries",
    "events",
    "finishing",
    "keys",
    "media",
    "outcomes",
    "places",
    "platforms",
    "posts",
    "quotas",
    "reconnect",
    "tiktok",
)
"""The capabilities, by which the app knows what the service supports."""

quotas_router = Router(tag="usage")

ROUTERS: Final = (
    root_router,
    posts,
    connections,
    deliveries,
    events,
    keys,
    media,
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
