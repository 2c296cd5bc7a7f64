"""``/companion/v1/packs``: setup packs, for the installation's owner."""

from typing import Annotated, Final

from starlette.responses import Response

from app.contract.limits import PACK_BYTES_MAX
from app.contract.packs import MadePack, MakePack, PackSummary, ReadPack, UsePack
from app.contract.platform_setup import PlatformSetupList
from app.service.api.context import ServiceDep
from app.service.api.requests import JsonBody
from app.service.api.responses import answer
from app.service.api.routing import Depends, Router
from app.service.companion.platforms import OwnerDep

router = Router(tag="packs")

_BODY_MAX: Final = 7 * PACK_BYTES_MAX
"""Maximum length of a body, in bytes: JSON escapes a character with up to six."""


@router.post("/packs", response_model=MadePack)
async def make_pack(
    service: ServiceDep, owner: OwnerDep, body: Annotated[MakePack, Depends(JsonBody(MakePack))]
) -> Response:
    """Make a signed pack from the apps of some platforms. Secrets are only included with a passphrase."""
    await service.confirm(owner.caller)
    return answer(await service.connections.packs.make(body))


@router.post("/packs/read", response_model=PackSummary)
async def read_pack(
    service: ServiceDep,
    owner: OwnerDep,
    body: Annotated[ReadPack, Depends(JsonBody(ReadPack, bytes_max=_BODY_MAX))],
) -> Response:
    """Check a pack's signature and return its maker and apps. Nothing is stored."""
    await service.confirm(owner.caller)
    return answer(await service.connections.packs.read(body.content))


@router.post("/packs/use", response_model=PlatformSetupList)
async def use_pack(
    service: ServiceDep,
    owner: OwnerDep,
    body: Annotated[UsePack, Depends(JsonBody(UsePack, bytes_max=_BODY_MAX))],
) -> Response:
    """Set the apps of a pack, all of them or none. Its secrets are stored encrypted and never returned."""
    await service.confirm(owner.caller)
    return answer(PlatformSetupList(data=await service.connections.packs.use(body)))
