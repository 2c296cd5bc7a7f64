"""``/connections``."""

from typing import Annotated, Final
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from app.contract.connections import (
    BoardListQuery,
    Connection,
    ConnectionInitiation,
    ConnectionListQuery,
    InitiateConnection,
    PinterestBoardPage,
    Reauthorization,
)
from app.contract.enums import Action, ConnectionPlatform, ErrorCode
from app.contract.errors import HTTP_STATUS, ErrorBody, ReauthorizationNeeded
from app.contract.pagination import Page
from app.service.accounts.accounts import Principal
from app.service.api.context import Service, ServiceDep, calling
from app.service.api.listing import Listing
from app.service.api.requests import JsonBody, PathId, Query
from app.service.api.responses import answer
from app.service.api.routing import Depends, Router
from app.service.connections.platforms import AuthorizationEndedError
from app.service.connections.rows import CONNECTION_COLUMNS, find_connection
from app.service.store.tables import connections

router = Router(prefix="/connections", tag="connections")

ConnectionId = Annotated[UUID, Depends(PathId("connection_id", "connection"))]

CONNECTIONS: Final = Listing(
    connections, CONNECTION_COLUMNS, filters=(connections.c.platform, connections.c.is_available)
)


@router.post("/initiate", response_model=ConnectionInitiation, status_code=201)
async def initiate_connection(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.CONNECTIONS_INITIATE))],
    body: Annotated[InitiateConnection, Depends(JsonBody(InitiateConnection))],
) -> Response:
    """Start connecting an account. Returns a URL for the browser, valid for 15 minutes.

    ``connection_id`` becomes the ID of the account after the user's consent. If the account was connected
    before, its connection is refreshed instead. If one consent covers several accounts, the user chooses in
    the browser.
    """
    platform = ConnectionPlatform(body.platform.value)
    return answer(await service.connections.flows.begin(principal.caller, platform, body.redirect_url), 201)


@router.get("", response_model=Page[Connection])
async def list_connections(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.CONNECTIONS_LIST))],
    query: Annotated[ConnectionListQuery, Depends(Query(ConnectionListQuery))],
) -> Response:
    """List connected accounts, newest first.

    Accounts that need reauthorization are only included on request.
    """
    available = None if query.include_unavailable else True
    return await CONNECTIONS.answer(
        service, principal.account_id, query, platform=query.platform, is_available=available
    )


@router.get("/{connection_id}", response_model=Connection)
async def get_connection(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.CONNECTIONS_GET))],
    connection_id: ConnectionId,
) -> Response:
    """Get a connected account."""
    return answer(
        await service.database.read(lambda rows: find_connection(rows, principal.account_id, connection_id))
    )


@router.post("/{connection_id}/reauth", response_model=Reauthorization, status_code=200, responses={400: {}})
async def reauthorize_connection(
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.CONNECTIONS_REAUTH))],
    connection_id: ConnectionId,
) -> Response:
    """Start reauthorizing an unavailable account.

    The consent must be for the same account; any other changes nothing.
    """
    return answer(await service.connections.flows.reauthorize(principal.caller, connection_id))


@router.get(
    "/{connection_id}/boards",
    response_model=PinterestBoardPage,
    status_code=200,
    responses={401: {"model": ReauthorizationNeeded}},
)
async def list_boards(
    request: Request,
    service: ServiceDep,
    principal: Annotated[Principal, Depends(calling(Action.CONNECTIONS_BOARDS))],
    connection_id: ConnectionId,
    query: Annotated[BoardListQuery, Depends(Query(BoardListQuery))],
) -> Response:
    """List the boards of a Pinterest account, as Pinterest currently returns them.

    Pass the bookmark of a page to get the next one. Returns 401 with a ``reauth_url`` if Pinterest no longer
    accepts the account's token, and 500 if Pinterest doesn't respond; retry the call then.
    """
    try:
        return answer(await service.connections.boards.page(principal.account_id, connection_id, query))
    except AuthorizationEndedError as ended:
        platform = ConnectionPlatform.PINTEREST
        return await reauthorization_needed(request, service, principal, platform, connection_id, str(ended))


async def reauthorization_needed(
    request: Request,
    service: Service,
    principal: Principal,
    platform: ConnectionPlatform,
    connection_id: UUID,
    message: str,
) -> Response:
    """Return 401 with the URL for a new consent."""
    begun = await service.connections.flows.begin(principal.caller, platform, reauthorize=connection_id)
    reason = ErrorBody(code=ErrorCode.UNAUTHORIZED, message=message)
    needed = ReauthorizationNeeded(
        error=reason, request_id=request.state.request_id, reauth_url=begun.connect_url
    )
    return answer(needed, HTTP_STATUS[ErrorCode.UNAUTHORIZED])
