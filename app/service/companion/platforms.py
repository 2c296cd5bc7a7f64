"""``/companion/v1/platforms``: the setup of the platforms, for the installation's owner."""

from typing import Annotated

from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from app.contract.enums import ConnectionPlatform, ErrorCode
from app.contract.platform_setup import PlatformSelfTest, PlatformSetup, PlatformSetupList, SetPlatformApp
from app.platforms.cards import CARDS
from app.service.accounts.accounts import Plan, Principal
from app.service.api.context import PrincipalDep, ServiceDep
from app.service.api.requests import JsonBody
from app.service.api.responses import ApiError, answer, invalid, not_found
from app.service.api.routing import Depends, Router
from app.service.connections.apps import OwnApp
from app.service.inbox import refused_scopes
from app.service.store.tables import accounts

router = Router(tag="platforms")


async def _owner(principal: PrincipalDep, service: ServiceDep) -> Principal:
    """Require the installation's owner: an account on the plan ``local``, which only a command assigns."""
    plan = select(accounts.c.plan).where(accounts.c.id == principal.account_id)
    if await service.database.read(lambda rows: rows.scalar(plan)) != Plan.LOCAL.value:
        raise ApiError(
            ErrorCode.FORBIDDEN, "Only the owner of this service may see how its platforms are set up."
        )
    return principal


OwnerDep = Annotated[Principal, Depends(_owner)]


async def _platform(request: Request) -> ConnectionPlatform:
    platform = ConnectionPlatform(request.path_params["platform"])
    if not platform.is_known:
        raise not_found("platform")
    return platform


@router.get("/platforms", response_model=PlatformSetupList)
async def list_platforms(service: ServiceDep, _owner: OwnerDep) -> Response:
    """List the platforms: whether an app is set up, what to register, and what can be published."""
    return answer(PlatformSetupList(data=service.connections.set_ups.all()))


@router.put("/platforms/{platform}/app", response_model=PlatformSetup)
async def set_platform_app(
    service: ServiceDep,
    owner: OwnerDep,
    platform: Annotated[ConnectionPlatform, Depends(_platform)],
    body: Annotated[SetPlatformApp, Depends(JsonBody(SetPlatformApp))],
) -> Response:
    """Set the app registered with a platform. It's stored encrypted and never returned."""
    await service.confirm(owner.caller)
    if body.inbox_only and CARDS[platform].inbox is None:
        raise invalid("inbox_only", f"isn't possible: {CARDS[platform].name} has no inbox", "not_offered")
    app = OwnApp(
        body.client_id.strip(),
        body.client_secret,
        body.redirect_uri,
        without_scopes=refused_scopes(platform, inbox_only=body.inbox_only),
    )
    return answer(await service.connections.set_ups.set_app(platform, app))


@router.delete("/platforms/{platform}/app", response_model=PlatformSetup)
async def remove_platform_app(
    service: ServiceDep, _owner: OwnerDep, platform: Annotated[ConnectionPlatform, Depends(_platform)]
) -> Response:
    """Remove the app of a platform. Its accounts stay, but their access is no longer renewed."""
    return answer(await service.connections.set_ups.set_app(platform, None))


@router.post("/platforms/{platform}/self-test", response_model=PlatformSelfTest)
async def run_self_test(
    service: ServiceDep, owner: OwnerDep, platform: Annotated[ConnectionPlatform, Depends(_platform)]
) -> Response:
    """Run the checks that need no user's consent. This takes a few seconds.

    If the caller has connected an account, its permissions and its last post are checked too.
    """
    return answer(await service.connections.set_ups.test(platform, owner.account_id))
