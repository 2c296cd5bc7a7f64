"""``/companion/v1/connections``: completing, cancelling and checking browser flows, and reconnecting."""

from typing import Annotated
from uuid import UUID

from starlette.responses import Response

from app.contract.companion import CompleteConnection, ConnectionOutcome, ReconnectAccount
from app.contract.connections import ConnectionInitiation
from app.service.api.context import ServiceDep
from app.service.api.principal import PrincipalDep
from app.service.api.requests import JsonBody, PathId
from app.service.api.responses import answer
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
    """Complete a connection with the final address of a browser that couldn't return by itself."""
    return answer(await service.connections.flows.complete(principal.account_id, body.address))


@router.post("/connections/{connection_id}/reconnect", response_model=ConnectionInitiation, status_code=201)
async def reconnect_account(
    service: ServiceDep,
    principal: PrincipalDep,
    connection_id: ConnectionId,
    body: Annotated[ReconnectAccount, Depends(JsonBody(ReconnectAccount))],
) -> Response:
    """Start reauthorizing a connected account, even before its access has ended.

    The consent must be for the same account; any other changes nothing. ``connection_id`` in the response
    identifies the attempt.
    """
    flows, owner = service.connections.flows, principal.account_id
    return answer(await flows.reconnect(owner, connection_id, body.redirect_url), 201)


@router.get("/connections/attempts/{attempt_id}", response_model=ConnectionOutcome)
async def get_connection_attempt(
    service: ServiceDep, principal: PrincipalDep, attempt_id: AttemptId
) -> Response:
    """Get the status of a connection attempt and why it failed. Available for a day after it ends."""
    return answer(await service.connections.flows.outcome(principal.account_id, attempt_id))


@router.delete("/connections/attempts/{attempt_id}", response_model=ConnectionOutcome)
async def cancel_connection_attempt(
    service: ServiceDep, principal: PrincipalDep, attempt_id: AttemptId
) -> Response:
    """Cancel a connection attempt. A browser that returns later connects nothing.

    An attempt that has ended stays as it is. The response contains its status.
    """
    return answer(await service.connections.flows.cancel(principal.account_id, attempt_id))
