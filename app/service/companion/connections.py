"""``/companion/v1/connections``: flows finished by hand, begun for a known account, and asked after."""

from typing import Annotated
from uuid import UUID

from starlette.responses import Response

from app.contract.companion import CompleteConnection, ConnectionOutcome, ReconnectAccount
from app.contract.connections import ConnectionInitiation
from app.service.api.context import ServiceDep
from app.service.api.envelope import answer
from app.service.api.principal import PrincipalDep
from app.service.api.requests import JsonBody, PathId
from app.service.api.routing import Depends, Router

router = Router(tag="connections")

ConnectionId = Annotated[UUID, Depends(PathId("connection_id", "connection"))]
AttemptId = Annotated[UUID, Depends(PathId("attempt_id", "attempt"))]


@router.post("/connections/complete", response_model=ConnectionOutcome)
async def complete_connection(
    service: ServiceDep,
    principal: PrincipalDep,
    body: Annotated[CompleteConnection, Depends(JsonBody(CompleteConnection))],
) -> Response:
    """Finish a connection with the address at which a browser ended that could not come back by itself."""
    return answer(await service.connections.flows.complete(principal.account_id, body.address))


@router.post("/connections/{connection_id}/reconnect", response_model=ConnectionInitiation, status_code=201)
async def reconnect_account(
    service: ServiceDep,
    principal: PrincipalDep,
    connection_id: ConnectionId,
    body: Annotated[ReconnectAccount, Depends(JsonBody(ReconnectAccount))],
) -> Response:
    """Begin to authorize a known account again, also one whose access has not ended yet.

    The consent must be that of the same account; any other changes nothing. ``connection_id`` in the answer
    names the attempt.
    """
    flows, owner = service.connections.flows, principal.account_id
    return answer(await flows.reconnect(owner, connection_id, body.redirect_url), 201)


@router.get("/connections/attempts/{attempt_id}", response_model=ConnectionOutcome)
async def get_connection_attempt(
    service: ServiceDep, principal: PrincipalDep, attempt_id: AttemptId
) -> Response:
    """Tell how an attempt to connect stands, and why it failed; for a day after its end."""
    return answer(await service.connections.flows.outcome(principal.account_id, attempt_id))


@router.delete("/connections/attempts/{attempt_id}", response_model=ConnectionOutcome)
async def cancel_connection_attempt(
    service: ServiceDep, principal: PrincipalDep, attempt_id: AttemptId
) -> Response:
    """Cancel an attempt to connect: a browser that still comes back connects nothing.

    An attempt that has ended stays as it is. The answer tells how it stands.
    """
    return answer(await service.connections.flows.cancel(principal.account_id, attempt_id))
