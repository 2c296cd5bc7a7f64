"""``/companion/v1/places``: accounts on companion networks, and their posts.

They use the same tables and the same queue as accounts and posts of the specification.
"""

from datetime import timedelta
from typing import Annotated, Final
from uuid import UUID

from sqlalchemy import bindparam
from starlette.responses import Response

from app.contract.companion import (
    ConnectPlace,
    CreatePlacePost,
    FinishPost,
    Place,
    PlaceContent,
    PlaceListQuery,
    PlaceMetric,
    PlaceMetricListQuery,
    PlacePost,
    PlacePostListQuery,
)
from app.contract.connections import ConnectionInitiation
from app.contract.enums import ConnectionPlatform
from app.contract.pagination import Page, PageQuery
from app.contract.places import ConnectServer, PlaceLimits
from app.contract.posts import DeletePostQuery, PostDeleteResult, ReschedulePost
from app.service.analytics.routes import METRIC_COLUMNS
from app.service.api.context import PrincipalDep, ServiceDep
from app.service.api.listing import Listing
from app.service.api.requests import JsonBody, PathId, Query
from app.service.api.responses import answer
from app.service.api.routing import Depends, Router
from app.service.companion.by_hand import handle_report, handle_take_back
from app.service.connections.rows import CONNECTION_COLUMNS
from app.service.history import CONTENT_COLUMNS
from app.service.posts.creating import Creation
from app.service.posts.handling import handle_creation, handle_deletion, handle_reschedule
from app.service.posts.routes import REPLAY, PostId
from app.service.posts.rows import ANY_POST_COLUMNS, find_post
from app.service.store.reach import Reach
from app.service.store.tables import connections, contents, metrics, posts

router = Router(prefix="/places", tag="places")

PlaceId = Annotated[UUID, Depends(PathId("place_id", "place"))]

_PLACES: Final = Listing(
    connections,
    (*CONNECTION_COLUMNS, connections.c.sign_in_by),
    filters=(connections.c.is_available,),
    reach=Reach.COMPANION,
    name="places",
)
_POSTS: Final = Listing(
    posts, ANY_POST_COLUMNS, filters=(posts.c.status,), reach=Reach.COMPANION, name="place posts"
)
_CONTENTS: Final = Listing(contents, CONTENT_COLUMNS, reach=Reach.COMPANION, name="place contents")
_METRICS: Final = Listing(
    metrics,
    METRIC_COLUMNS,
    where=(metrics.c.metric_date > bindparam("before"),),
    reach=Reach.COMPANION,
    by=metrics.c.metric_date,
    name="place metrics",
)


@router.get("", response_model=Page[Place])
async def list_places(
    service: ServiceDep,
    principal: PrincipalDep,
    query: Annotated[PlaceListQuery, Depends(Query(PlaceListQuery))],
) -> Response:
    """List accounts on companion networks, newest first.

    Accounts that have to be connected again are only included on request.
    """
    available = None if query.include_unavailable else True
    return await _PLACES.answer(service, principal.account_id, query, is_available=available)


@router.post("", response_model=Place, status_code=201, responses={400: {}})
async def connect_place(
    service: ServiceDep,
    principal: PrincipalDep,
    body: Annotated[ConnectPlace, Depends(JsonBody(ConnectPlace))],
) -> Response:
    """Connect an account with an app password, which is used once and not stored.

    Connecting an account again renews its access. Returns 500 if the network doesn't respond; retry the call
    then.
    """
    return answer(await service.connections.places.connect(principal.caller, body), 201)


@router.post("/initiate", response_model=ConnectionInitiation, status_code=201, responses={400: {}})
async def initiate_place(
    service: ServiceDep,
    principal: PrincipalDep,
    body: Annotated[ConnectServer, Depends(JsonBody(ConnectServer))],
) -> Response:
    """Start connecting an account on a server that the user names. Returns a URL for the browser.

    On Bluesky, the server is found from the account's handle; others get an app of Kalends. The URL is valid
    for 15 minutes; its attempt is under `/connections/attempts`. Connecting an account again renews its
    access.
    """
    flows, platform = service.connections.flows, ConnectionPlatform(body.platform.value)
    begun = await flows.begin(principal.caller, platform, body.redirect_url, server=body.server)
    return answer(begun, 201)


@router.get("/{place_id}/limits", response_model=PlaceLimits)
async def get_place_limits(service: ServiceDep, principal: PrincipalDep, place_id: PlaceId) -> Response:
    """Get the limits of an account's server, at most half a day old if the server responds.

    All are null on networks whose limits are the same everywhere.
    """
    found = await service.connections.limits.of(principal.account_id, place_id)
    return answer(found or PlaceLimits())


@router.delete("/{place_id}", response_model=Place)
async def disconnect_place(service: ServiceDep, principal: PrincipalDep, place_id: PlaceId) -> Response:
    """Disconnect an account: end its session at the network and erase its tokens.

    Its scheduled posts stay, and fail when they're due unless the account is connected again. An account
    without any posts is removed.
    """
    return answer(await service.connections.places.disconnect(principal.caller, place_id))


@router.get("/posts", response_model=Page[PlacePost])
async def list_place_posts(
    service: ServiceDep,
    principal: PrincipalDep,
    query: Annotated[PlacePostListQuery, Depends(Query(PlacePostListQuery))],
) -> Response:
    """List posts on companion networks, newest first."""
    return await _POSTS.answer(service, principal.account_id, query, status=query.status)


@router.post("/posts", response_model=PlacePost, status_code=201, responses=REPLAY)
async def create_place_post(
    service: ServiceDep,
    principal: PrincipalDep,
    body: Annotated[CreatePlacePost, Depends(JsonBody(CreatePlacePost))],
) -> Response:
    """Schedule a post on a companion network, or publish it immediately if no time is given."""
    limits = await service.connections.limits.of(principal.account_id, body.social_account_id)
    creation = Creation(
        principal.account_id,
        body,
        service.clock(),
        service.connections.unreachable,
        new_id=service.new_id,
        reach=Reach.COMPANION,
        limits=limits,
    )
    return await handle_creation(service, principal.caller, creation)


@router.get("/posts/{post_id}", response_model=PlacePost)
async def get_place_post(service: ServiceDep, principal: PrincipalDep, post_id: PostId) -> Response:
    """Get a post on a companion network."""
    owner = principal.account_id
    return answer(await service.database.read(lambda rows: find_post(rows, owner, post_id, Reach.COMPANION)))


@router.patch("/posts/{post_id}", response_model=PlacePost)
async def reschedule_place_post(
    service: ServiceDep,
    principal: PrincipalDep,
    post_id: PostId,
    body: Annotated[ReschedulePost, Depends(JsonBody(ReschedulePost))],
) -> Response:
    """Reschedule a post on a companion network. This also resumes a cancelled one."""
    return await handle_reschedule(service, principal.caller, post_id, body.scheduled_at, Reach.COMPANION)


@router.delete("/posts/{post_id}", response_model=PostDeleteResult)
async def delete_place_post(
    service: ServiceDep,
    principal: PrincipalDep,
    post_id: PostId,
    query: Annotated[DeletePostQuery, Depends(Query(DeletePostQuery))],
) -> Response:
    """Cancel a post on a companion network, or delete it permanently."""
    caller = principal.caller
    return await handle_deletion(service, caller, post_id, hard=query.hard, reach=Reach.COMPANION)


@router.put("/posts/{post_id}/finished", response_model=PlacePost, responses={400: {}})
async def finish_place_post(
    service: ServiceDep,
    principal: PrincipalDep,
    post_id: PostId,
    body: Annotated[FinishPost, Depends(JsonBody(FinishPost))],
) -> Response:
    """Report that the user has published a post of an account that is published to by hand."""
    return await handle_report(service, principal.caller, post_id, body, Reach.COMPANION)


@router.delete("/posts/{post_id}/finished", response_model=PlacePost, responses={400: {}})
async def take_back_place_post(service: ServiceDep, principal: PrincipalDep, post_id: PostId) -> Response:
    """Take back the report that a post was published by hand, within ten minutes."""
    return await handle_take_back(service, principal.caller, post_id, Reach.COMPANION)


@router.get("/content-history", response_model=Page[PlaceContent])
async def list_place_content(
    service: ServiceDep, principal: PrincipalDep, query: Annotated[PageQuery, Depends(Query(PageQuery))]
) -> Response:
    """List what was published on companion networks, newest first."""
    return await _CONTENTS.answer(service, principal.account_id, query)


@router.get("/analytics", response_model=Page[PlaceMetric])
async def list_place_metrics(
    service: ServiceDep,
    principal: PrincipalDep,
    query: Annotated[PlaceMetricListQuery, Depends(Query(PlaceMetricListQuery))],
) -> Response:
    """List the samples of what was published on companion networks, newest day first."""
    before = service.clock().date() - timedelta(days=query.days)
    return await _METRICS.answer(service, principal.account_id, query, before=before)
