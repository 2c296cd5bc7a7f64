"""``GET /companion/v1/quotas``: how many calls of each action the calling key may make, and has left."""

from starlette.responses import Response

from app.contract.companion import Quota, QuotaList
from app.contract.enums import Action
from app.service.accounts.keys import Principal
from app.service.api.context import ServiceDep
from app.service.api.envelope import answer
from app.service.api.principal import PrincipalDep
from app.service.api.routing import Router
from app.service.limits import WINDOW_S, RateLimiter

router = Router(tag="usage")


@router.get("/quotas", response_model=QuotaList)
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
