"""``/companion/v1/connections``: browser flows, reconnecting, and the audience of TikTok posts."""

from typing import Annotated
from uuid import UUID

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from app.contract.companion import CompleteConnection, ConnectionOutcome, ReconnectAccount
from app.contract.connections import ConnectionInitiation
from app.contract.enums import ConnectionPlatform
from app.contract.errors import ReauthorizationNeeded
from app.contract.tiktok import (
    InboxPosts,
    SetTikTokAccount,
    TikTokAccount,
    TikTokCreator,
    TikTokPost,
    UndecidedPosts,
)
from app.service import inbox, tiktok
from app.service.api.context import PrincipalDep, ServiceDep
from app.service.api.requests import JsonBody, PathId
from app.service.api.responses import answer
from app.service.api.routing import Depends, Router
from app.service.connections.platforms import AuthorizationEndedError
from app.service.connections.routes import reauthorization_needed
from app.service.posts.routes import PostId
from app.service.tiktok import account_settings, require_post, set_account

router = Router(tag="connections")
tiktok_router = Router(tag="tiktok")

ConnectionId = Annotated[UUID, Depends(PathId("connection_id", "connection"))]
AttemptId = Annotated[UUID, Depends(PathId("attempt_id", "attempt"))]


@router.post("/connections/complete", response_model=ConnectionOutcome)
async def complete_connection(
    service: ServiceDep,
    principal: PrincipalDep,
    body: Annotated[CompleteConnection, Depends(JsonBody(CompleteConnection))],
) -> Response:
    """Complete a connection with the final address of a browser that couldn't return by itself."""
    return answer(await service.connections.flows.complete(principal.caller, body.address))


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
    flows, caller = service.connections.flows, principal.caller
    return answer(await flows.reconnect(caller, connection_id, body.redirect_url), 201)


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
    return answer(await service.connections.flows.cancel(principal.caller, attempt_id))


@tiktok_router.get(
    "/connections/{connection_id}/tiktok/creator",
    response_model=TikTokCreator,
    responses={401: {"model": ReauthorizationNeeded}, 400: {}},
)
async def get_tiktok_creator(
    request: Request, service: ServiceDep, principal: PrincipalDep, connection_id: ConnectionId
) -> Response:
    """Get the options TikTok offers an account, at most a minute old.

    Returns 401 with a ``reauth_url`` if TikTok no longer accepts the account's token, 400 if TikTok doesn't
    allow the account to post, and 500 if TikTok doesn't respond; retry the call then.
    """
    try:
        return answer(await service.connections.creators.creator(principal.account_id, connection_id))
    except AuthorizationEndedError as ended:
        platform = ConnectionPlatform.TIKTOK
        return await reauthorization_needed(request, service, principal, platform, connection_id, str(ended))


@tiktok_router.get(
    "/connections/{connection_id}/tiktok", response_model=TikTokAccount, status_code=200, responses={400: {}}
)
async def get_tiktok_choice(
    service: ServiceDep, principal: PrincipalDep, connection_id: ConnectionId
) -> Response:
    """Get the choice for an account's posts that have none of their own, and where posts go."""
    owner = principal.account_id
    return answer(await service.database.read(lambda rows: account_settings(rows, owner, connection_id)))


@tiktok_router.put("/connections/{connection_id}/tiktok", response_model=TikTokAccount)
async def set_tiktok_choice(
    service: ServiceDep,
    principal: PrincipalDep,
    connection_id: ConnectionId,
    body: Annotated[SetTikTokAccount, Depends(JsonBody(SetTikTokAccount))],
) -> Response:
    """Set the choice for an account's posts that have none of their own, such as those of other programs.

    It also applies to scheduled posts without a choice. With ``inbox``, all posts go to the user's TikTok
    inbox instead, where they finish them.
    """
    owner, caller = principal.account_id, principal.caller
    return answer(await service.write(caller, lambda rows: set_account(rows, owner, connection_id, body)))


@tiktok_router.get("/posts/{post_id}/tiktok", response_model=TikTokPost)
async def get_tiktok_post(service: ServiceDep, principal: PrincipalDep, post_id: PostId) -> Response:
    """Get the choice that applies to a TikTok post: its own, its file's, or its account's.

    Null if there is none: the post will fail when it's due. Returns 404 for other platforms' posts.
    """

    def work(rows: Connection) -> TikTokPost:
        require_post(rows, principal.account_id, post_id)
        return TikTokPost(choice=tiktok.choice_of_post(rows, post_id))

    return answer(await service.database.read(work))


@tiktok_router.get("/tiktok/undecided", response_model=UndecidedPosts)
async def list_undecided_posts(service: ServiceDep, principal: PrincipalDep) -> Response:
    """List TikTok posts that will fail because nobody chose who can see them, earliest first."""
    found = await service.database.read(lambda rows: tiktok.undecided(rows, principal.account_id))
    return answer(UndecidedPosts(data=found))


@tiktok_router.get("/tiktok/inbox", response_model=InboxPosts)
async def list_inbox_posts(service: ServiceDep, principal: PrincipalDep) -> Response:
    """List the posts that wait in TikTok inboxes for their user, earliest first."""
    found = await service.database.read(lambda rows: inbox.in_inboxes(rows, principal.account_id))
    return answer(InboxPosts(data=found))
