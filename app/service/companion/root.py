"""``GET /companion/v1``: what is offered."""

from typing import Final

from starlette.responses import Response

from app.contract.companion import CompanionRoot
from app.service.api.context import ServiceDep
from app.service.api.envelope import answer
from app.service.api.principal import PrincipalDep
from app.service.api.routing import Router

router = Router(tag="companion")

OFFERS: Final = (
    "attempts",
    "complete",
    "deliveries",
    "events",
    "keys",
    "media",
    "platforms",
    "posts",
    "quotas",
    "reconnect",
    "tiktok",
)
"""One word for each part, by which the app knows what it may use."""


@router.get("", response_model=CompanionRoot)
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
