"""``/companion/v1/connections/complete``: a browser flow finished by hand."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from app.contract.companion import CompleteConnection, ConnectionOutcome
from app.service.api.context import ServiceDep
from app.service.api.envelope import answer
from app.service.api.principal import PrincipalDep
from app.service.api.requests import JsonBody

router = APIRouter(tags=["connections"])


@router.post("/connections/complete", response_model=ConnectionOutcome)
async def complete_connection(
    service: ServiceDep,
    principal: PrincipalDep,
    body: Annotated[CompleteConnection, Depends(JsonBody(CompleteConnection))],
) -> Response:
    """Finish a connection with the address at which a browser ended that could not come back by itself."""
    return answer(await service.connections.flows.complete(principal.account_id, body.address))
